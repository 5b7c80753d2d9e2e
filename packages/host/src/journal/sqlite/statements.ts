import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { DamageError } from './errors.ts';

/** SQLite's value for "no limit". */
export const UNLIMITED = -1;

/** A row of a result. */
export type Row = Record<string, SQLOutputValue>;

/** Cache of prepared statements of one connection. Preparing a statement takes ten times as long as running a small one. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  /** Rows one at a time: a caller that leaves the loop early reads no further rows. */
  iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

function unexpected(column: string, expected: string, value: SQLOutputValue | undefined): DamageError {
  const got = value === null ? 'NULL' : typeof value;
  return new DamageError(`the journal is damaged: ${got} where ${column} should be ${expected}`);
}

/** A column that holds text; throws `DamageError` when it does not. */
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

/** A column that holds text or bytes. */
export function textOrBytes(row: Row, column: string): string | Uint8Array {
  return row[column] instanceof Uint8Array ? bytes(row, column) : text(row, column);
}

/** A column that holds text or NULL. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** A column that holds a number or NULL. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}
