import { afterAll, afterEach, beforeAll } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import { Connection } from './connection.ts';
import { PostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts';
import { TestServer } from './postgres-server-fixture.ts';

/** Timers of a host that is paused: nothing is due. */
export const paused = { after: () => () => undefined, immediate: () => undefined };

/** An envelope of the chat `ahp-chat:/c1`. */
export const envelope = (seq: number): JournalWrite => ({
  op: 'envelope',
  seq,
  channel: 'ahp-chat:/c1',
  time: seq,
  json: `{"n":${seq}}`,
});

/** The journals of a test, each test with a cell of its own, and statements beside them. */
export class TestCells {
  readonly #server: TestServer;
  #opened: PostgresJournal[] = [];
  #connections: Connection[] = [];
  #count = 0;

  constructor(server: TestServer) {
    this.#server = server;
  }

  /** Name of the cell of this test. */
  get name(): string {
    return `cell ${this.#count}`;
  }

  create(options: Partial<PostgresJournalOptions> = {}): PostgresJournal {
    const journal = new PostgresJournal({ url: this.#server.url, cell: this.name, waitMs: 0, ...options });
    this.#opened.push(journal);
    return journal;
  }

  /** A connection until the end of the test. */
  async connect(url = this.#server.url): Promise<Connection> {
    const connection = await Connection.open({ url }, 'admin');
    this.#connections.push(connection);
    return connection;
  }

  /** Runs a statement for the row of this test's cell, which is `$1`. */
  async ofCell(connection: Connection, sql: string): Promise<unknown> {
    const { rows } = await connection.query(sql, [this.name]);
    return Object.values(rows[0] ?? {})[0];
  }

  /** Ends the test. Connections end first, so that no journal waits for their locks. */
  async end(): Promise<void> {
    for (const connection of this.#connections) await connection.end();
    for (const journal of this.#opened) await journal.close();
    this.#connections = [];
    this.#opened = [];
    this.#count += 1;
  }
}

/**
 * Starts a server before the tests of a block, and stops it after them. `use` gets it, with the cells of the tests. `programs`: the folder of PostgreSQL's programs; without it, the
 * tests are skipped, and nothing is started.
 */
export function useServer(
  programs: string | undefined,
  use: (server: TestServer, cells: TestCells) => void,
): void {
  let server: TestServer | undefined;
  let cells: TestCells | undefined;
  beforeAll(async () => {
    if (programs === undefined) return;
    server = await TestServer.start(programs);
    cells = new TestCells(server);
    use(server, cells);
  });
  afterEach(() => cells?.end());
  afterAll(() => server?.stop());
}
