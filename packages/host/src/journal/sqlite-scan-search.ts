import { SLICE_MS } from '../lib/slice-scheduler.ts';
import { matchFields } from './search/match.ts';
import type { Term } from './search/query.ts';
import type { FoundSlice, TitleFound, TurnFound } from './search/search.ts';
import { textOf } from './search/text.ts';
import { number, type Row, type Statements, text } from './sqlite-rows.ts';
import { SqliteSearchSource, toTitle } from './sqlite-search-source.ts';

/** Searches where SQLite has no FTS5: reads the rows themselves, newest first, for a few milliseconds a call. */
export class SqliteScanSource extends SqliteSearchSource {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    super(statements);
    this.#statements = statements;
  }

  /** Turns are read where they are; titles are all there once those from before have been read. */
  override isComplete(): boolean {
    return this.#statements.get("SELECT 1 FROM unindexed WHERE source <> 'turns' LIMIT 1") === undefined;
  }

  override titles(terms: readonly Term[], below: number, limit: number): FoundSlice<TitleFound> {
    return this.#scan(
      'SELECT key, uri, session, title FROM titles WHERE key < ? ORDER BY key DESC LIMIT 1',
      { below, limit },
      (row) => (matchFields({ title: text(row, 'title') }, terms) === undefined ? undefined : toTitle(row)),
    );
  }

  override turns(terms: readonly Term[], below: number, limit: number): FoundSlice<TurnFound> {
    return this.#scan(
      'SELECT key, chat, id, ordinal, json FROM turns WHERE key < ? ORDER BY key DESC LIMIT 1',
      { below, limit },
      (row) =>
        matchFields({ ...textOf(text(row, 'json')) }, terms) === undefined ? undefined : this.toTurn(row),
    );
  }

  /** `next` gives the row before a key. */
  #scan<T>(
    next: string,
    { below, limit }: { readonly below: number; readonly limit: number },
    pick: (row: Row) => T | undefined,
  ): FoundSlice<T> {
    const end = performance.now() + SLICE_MS;
    const found: T[] = [];
    let key = below;
    do {
      const row = this.#statements.get(next, key);
      if (row === undefined) return { found };
      key = number(row, 'key');
      const picked = pick(row);
      if (picked !== undefined) found.push(picked);
    } while (found.length < limit && performance.now() < end);
    return { found, resume: key };
  }
}
