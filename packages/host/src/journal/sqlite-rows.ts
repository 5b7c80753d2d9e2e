import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { DamageError } from './sqlite-errors.ts';

/** A row as `node:sqlite` gives it. */
export type Row = Record<string, SQLOutputValue>;

/** A prepared statement, and which value goes to each of its parameters. */
interface Prepared {
  readonly statement: StatementSync;
  /** Places of the values by parameter; absent when they are in order. */
  readonly places: readonly number[] | undefined;
}

/** Prepared statements of one connection by their text: preparing costs ten times as much as running a small one. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    const { statement, places } = this.#prepare(sql);
    return Number(statement.run(...inPlace(values, places)).changes);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    const { statement, places } = this.#prepare(sql);
    return statement.get(...inPlace(values, places));
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    const { statement, places } = this.#prepare(sql);
    return statement.all(...inPlace(values, places));
  }

  /** Rows one at a time: leave the loop early and the rest is never read. */
  iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    const { statement, places } = this.#prepare(sql);
    return statement.iterate(...inPlace(values, places));
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      // Node 22 binds no values to numbered parameters such as `?1`.
      const places = [...sql.matchAll(/\?(\d+)/g)].map(([, place]) => Number(place) - 1);
      const statement = this.#database.prepare(sql.replaceAll(/\?\d+/g, '?'));
      prepared = { statement, places: places.length === 0 ? undefined : places };
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }
}

function inPlace(values: SQLInputValue[], places: readonly number[] | undefined): SQLInputValue[] {
  return places === undefined ? values : places.map((place) => values[place] ?? null);
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
