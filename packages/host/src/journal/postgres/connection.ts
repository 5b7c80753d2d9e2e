import type { Client, QueryResult } from 'pg';
import { JournalError } from '../journal.ts';
import { type ServerPlace, toJournalError } from './errors.ts';
import { decodeText, encodeText } from './stored-text.ts';

/** Time in which a connection must be made. */
const CONNECT_TIMEOUT_MS = 5_000;

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

/** Names of prepared statements, the same on every connection. */
const names = new Map<string, string>();

/**
 * A connection to PostgreSQL. Statements are prepared once, and sent at once: several of them wait for one round trip. The server runs
 * them in order.
 */
export class Connection {
  readonly #client: Client;
  readonly place: ServerPlace;
  #isLost = false;

  private constructor(client: Client, place: ServerPlace) {
    this.#client = client;
    this.place = place;
    client.on('error', () => {
      // Statements that wait for an answer are rejected too.
      this.#isLost = true;
    });
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  /** Connects. Rejects with `JournalError`. */
  static async open({ url, password }: Server, name: string): Promise<Connection> {
    // Only hosts with this journal load the library.
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: url,
      ...(password !== undefined && { password }),
      application_name: `agenthost ${name}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
    });
    const { INT8, NUMERIC, TEXT } = pg.types.builtins;
    client.setTypeParser(INT8, Number);
    client.setTypeParser(NUMERIC, Number);
    client.setTypeParser(TEXT, decodeText);
    const place = {
      user: client.user ?? '',
      database: client.database ?? '',
      address: client.host.startsWith('/') ? client.host : `${client.host}:${client.port}`,
    };
    const connection = new Connection(client, place);
    try {
      await client.connect();
    } catch (cause) {
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
    try {
      return await this.#client.query<Row>({ name, text: sql, values: values.map(toSent) });
    } catch (cause) {
      throw toJournalError(cause, this.place);
    }
  }

  /** Runs statements without values in one round trip. */
  async execute(sql: string): Promise<void> {
    try {
      await this.#client.query(sql);
    } catch (cause) {
      throw toJournalError(cause, this.place);
    }
  }

  /** Closes the connection, after the statements that wait for an answer. */
  async end(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    await this.#client.end();
  }

  /** Gives up a connection in an unknown state. */
  abandon(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#client.end().catch(() => {
      // The server has closed the connection, as wanted.
    });
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
