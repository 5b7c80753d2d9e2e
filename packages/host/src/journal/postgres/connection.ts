import { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import { JournalError } from '../journal.ts';
import { type ServerPlace, toJournalError } from './errors.ts';
import { splitTls } from './server-tls.ts';
import { decodeText, encodeText } from './stored-text.ts';

/** Time limit for connecting. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Time limit for closing a connection in order. */
const END_TIMEOUT_MS = 2_000;
/** The operating system also detects a lost machine, about 10 s after this time without traffic. */
const KEEP_ALIVE_DELAY_MS = 2_000;
/** Time without an answer after which a connection is abandoned. Longer than any time limit of the server for a statement. */
const DEFAULT_SILENCE_MS = 10_000;
/** Part of that time by which the wait for an overdue answer is extended once: the answer may wait in the socket of a process that was paused. */
const LAST_CHANCE = 0.1;

/** A value of a statement. Arrays become arrays of the server. */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];
/** A row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** How to reach a server. */
export interface Server {
  /** A `postgres://` URL without the parameter `cell`. */
  readonly url: string;
  /** Default: that of the URL, of the environment variable PGPASSWORD or of the password file. */
  readonly password?: string | undefined;
}

/** Names of prepared statements by SQL text, the same on every connection. */
const names = new Map<string, string>();

/**
 * A connection to PostgreSQL. Statements are prepared once, and sent at once: several of them wait for one round trip. The server runs
 * them in order. A connection that does not answer is abandoned: its statements reject with 'unreachable'.
 */
export class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly place: ServerPlace;
  #silenceMs: number;
  #isLost = false;
  /** Statements without an answer. */
  #pendingCount = 0;
  /** Time of the last answer, or of the first statement since all were answered. */
  #heardAt = 0;
  #watch: NodeJS.Timeout | undefined;

  private constructor(client: Client, socket: Socket, place: ServerPlace, silenceMs: number) {
    this.#client = client;
    this.#socket = socket;
    this.place = place;
    this.#silenceMs = silenceMs;
    client.on('error', () => {
      // Statements that wait for an answer are rejected too.
      this.#isLost = true;
    });
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  /** Connects. `silenceMs`: time without an answer after which the connection is abandoned, 10,000 by default. Rejects with `JournalError`. */
  static async open(
    { url: given, password }: Server,
    name: string,
    silenceMs: number = DEFAULT_SILENCE_MS,
  ): Promise<Connection> {
    // Only hosts with this journal load the library.
    const { default: pg } = await import('pg');
    const { url, tls } = await splitTls(given, () => client.host);
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      ssl: tls,
      application_name: `agenthost ${name}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      stream: () => socket,
      pipeline: true,
    });
    // The library lets the URL, also one without a password, take precedence over an option `password`.
    if (password !== undefined) client.password = password;
    const { INT8, NUMERIC, TEXT } = pg.types.builtins;
    client.setTypeParser(INT8, Number);
    client.setTypeParser(NUMERIC, Number);
    client.setTypeParser(TEXT, decodeText);
    const place = {
      user: client.user ?? '',
      database: client.database ?? '',
      address: client.host.startsWith('/') ? client.host : `${client.host}:${client.port}`,
    };
    const connection = new Connection(client, socket, place, silenceMs);
    try {
      await client.connect();
    } catch (cause) {
      // After a failure of the library itself, such as a missing password, the server still waits, and the socket would keep the process alive.
      socket.destroy();
      throw toJournalError(cause, place);
    }
    return connection;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends a statement. Rejects with `JournalError`. */
  async query(sql: string, values: readonly Value[] = []): Promise<QueryResult<Row>> {
    let name = names.get(sql);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(sql, name);
    }
    const config = { name, text: sql, values: values.map(toSent) };
    return this.#answerOf(() => this.#client.query<Row>(config));
  }

  /** Runs statements without values in one round trip. */
  async execute(sql: string): Promise<void> {
    await this.#answerOf(() => this.#client.query(sql));
  }

  /** Runs work whose statements have no time limit. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const former = this.#silenceMs;
    this.#silenceMs = Number.POSITIVE_INFINITY;
    try {
      return await work();
    } finally {
      this.#silenceMs = former;
    }
  }

  /** Closes the connection, after the statements that wait for an answer. Abandons it when that takes more than 2 s. */
  async end(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    const late = setTimeout(() => this.#socket.destroy(), END_TIMEOUT_MS);
    await this.#client.end();
    clearTimeout(late);
  }

  /** Closes a connection in an unknown state at once. Its statements reject. */
  abandon(): void {
    this.#isLost = true;
    this.#socket.destroy();
  }

  async #answerOf<T>(send: () => Promise<T>): Promise<T> {
    this.#pendingCount += 1;
    if (this.#pendingCount === 1) {
      this.#heardAt = performance.now();
      this.#watchFor(this.#silenceMs);
    }
    try {
      return await send();
    } catch (cause) {
      throw toJournalError(cause, this.place);
    } finally {
      this.#pendingCount -= 1;
      this.#heardAt = performance.now();
      if (this.#pendingCount === 0) clearTimeout(this.#watch);
    }
  }

  #watchFor(ms: number, isLast = false): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#watch = setTimeout(() => {
      const leftMs = this.#heardAt + this.#silenceMs - performance.now();
      if (leftMs > 0) this.#watchFor(leftMs);
      else if (!isLast) this.#watchFor(this.#silenceMs * LAST_CHANCE, true);
      else this.#socket.destroy(new Error(`no answer within ${this.#silenceMs / 1_000} s`));
    }, ms);
  }
}

function toSent(value: Value): unknown {
  if (typeof value === 'string') return encodeText(value);
  // The server's integers have no infinity.
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value))
    return value.map((item: unknown) => (typeof item === 'string' ? encodeText(item) : item));
  return value;
}

/** The statements of one cell on one connection: the cell is their parameter `$1`. */
export class Statements {
  readonly #connection: Connection;
  readonly cell: number;

  constructor(connection: Connection, cell: number) {
    this.#connection = connection;
    this.cell = cell;
  }

  /** The number of changed rows. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    const { rowCount } = await this.#connection.query(sql, [this.cell, ...values]);
    return rowCount ?? 0;
  }

  async get(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all(sql, ...values))[0];
  }

  async all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#connection.query(sql, [this.cell, ...values])).rows;
  }
}

function unexpected(column: string, expected: string, value: unknown): JournalError {
  return new JournalError(
    'damaged',
    `the journal is damaged: ${typeof value} where ${column} should be ${expected}`,
  );
}

/** A column that holds text. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, 'text', value);
  return value;
}

/** A column that holds a number. */
export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw unexpected(column, 'a number', value);
  return value;
}

/** A column that holds bytes. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw unexpected(column, 'bytes', value);
  return value;
}

/** A column that holds text or NULL. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** A column that holds a number or NULL. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}
