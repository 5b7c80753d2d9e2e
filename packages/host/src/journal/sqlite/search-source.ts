import { SLICE_MS } from '../../lib/slice-scheduler.ts';
import type { StoredSession } from '../rows.ts';
import type { Term } from '../search/query.ts';
import type { FoundSlice, SearchSource, TitleFound, TurnFound } from '../search/search.ts';
import { number, optionalText, type Row, type Statements, text } from './statements.ts';
import { WordQuery } from './word-query.ts';

/** Bounds of the range of keys that one statement searches. The range grows while statements are fast. */
const LEAST_ROWS = 16;
const MOST_ROWS = 256;

/** Statements that search one table. */
interface Rows {
  /** Matching rows in a range of keys, newest first. */
  readonly matching: string;
  /** The newest row below a key. */
  readonly newest: string;
  /** Sign of the table's keys in the index. */
  readonly sign: 1 | -1;
}

const TURNS: Rows = {
  matching: `SELECT key, chat, id, ordinal FROM words JOIN turns ON key = words.rowid
    WHERE words MATCH ? AND words.rowid >= ? AND words.rowid <= ? ORDER BY words.rowid DESC`,
  newest: 'SELECT key FROM turns WHERE key < ? ORDER BY key DESC LIMIT 1',
  sign: 1,
};
const TITLES: Rows = {
  matching: `SELECT key, uri, session, title FROM words JOIN titles ON key = -words.rowid
    WHERE words MATCH ? AND words.rowid >= ? AND words.rowid <= ? ORDER BY words.rowid`,
  newest: 'SELECT key FROM titles WHERE key < ? ORDER BY key DESC LIMIT 1',
  sign: -1,
};

/** Searches the word index in small ranges of keys. */
export class SqliteSearchSource implements SearchSource {
  readonly #statements: Statements;
  /** By terms of a running search. */
  readonly #queries = new WeakMap<readonly Term[], WordQuery>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  end(): number {
    const row = this.#statements.get('SELECT key FROM turns ORDER BY key DESC LIMIT 1');
    return row === undefined ? 1 : number(row, 'key') + 1;
  }

  isComplete(): boolean {
    return this.#statements.get('SELECT 1 FROM unindexed LIMIT 1') === undefined;
  }

  titles(terms: readonly Term[], below: number, limit: number): FoundSlice<TitleFound> {
    return this.#find(TITLES, { terms, below, limit }, toTitle);
  }

  turns(terms: readonly Term[], below: number, limit: number): FoundSlice<TurnFound> {
    return this.#find(TURNS, { terms, below, limit }, (row) => this.#toTurn(row));
  }

  json(key: number): string | undefined {
    const row = this.#statements.get('SELECT json FROM turns WHERE key = ?', key);
    return row && text(row, 'json');
  }

  sessionOf(chat: string): string | undefined {
    const row = this.#statements.get('SELECT session FROM channels WHERE uri = ?', chat);
    return row && optionalText(row, 'session');
  }

  session(uri: string): StoredSession | undefined {
    const row = this.#statements.get('SELECT modified_at, summary FROM sessions WHERE uri = ?', uri);
    return row && { uri, modifiedAt: text(row, 'modified_at'), summary: text(row, 'summary') };
  }

  #find<T>(
    rows: Rows,
    {
      terms,
      below,
      limit,
    }: { readonly terms: readonly Term[]; readonly below: number; readonly limit: number },
    pick: (row: Row) => T,
  ): FoundSlice<T> {
    const end = performance.now() + SLICE_MS;
    const query = this.#queryOf(terms);
    const { words, phrases } = query;
    if (words === undefined) return { found: [], resume: below };
    const found: T[] = [];
    let rowCount = LEAST_ROWS;
    let from = below;
    do {
      const newest = words === '' ? undefined : this.#statements.get(rows.newest, from);
      if (newest === undefined) return { found };
      const top = number(newest, 'key');
      const startedAt = performance.now();
      const least = Math.max(1, top - rowCount + 1);
      const range = rows.sign === 1 ? [least, top] : [-top, -least];
      from = least;
      for (const row of this.#statements.all(rows.matching, words, ...range)) {
        const key = number(row, 'key');
        if (phrases === undefined || this.#fits(phrases, rows.sign * key)) found.push(pick(row));
        if (found.length === limit || performance.now() > end) return { found, resume: key };
      }
      const isQuick = performance.now() - startedAt < SLICE_MS / 4;
      rowCount = isQuick ? Math.min(MOST_ROWS, rowCount * 2) : Math.max(LEAST_ROWS, rowCount / 2);
    } while (performance.now() < end);
    return { found, resume: from };
  }

  #queryOf(terms: readonly Term[]): WordQuery {
    const known = this.#queries.get(terms) ?? new WordQuery(this.#statements, terms);
    this.#queries.set(terms, known);
    return known;
  }

  #fits(phrases: string, row: number): boolean {
    return (
      this.#statements.get('SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?', phrases, row) !==
      undefined
    );
  }

  /** A match from a row of `turns`. */
  #toTurn(row: Row): TurnFound {
    const ordinal = number(row, 'ordinal');
    const chat = this.#shownBy(text(row, 'chat'), ordinal);
    return { key: number(row, 'key'), chat, turnId: text(row, 'id'), ordinal };
  }

  /** The chat that wrote a turn, or else a chat with a copy of it. */
  #shownBy(line: string, ordinal: number): string {
    const row = this.#statements.get(
      'SELECT chat FROM spans WHERE line = ? AND start <= ? AND stop > ? ORDER BY chat <> line, chat LIMIT 1',
      line,
      ordinal,
      ordinal,
    );
    return row === undefined ? line : text(row, 'chat');
  }
}

/** A match from a row of `titles`. */
function toTitle(row: Row): TitleFound {
  const uri = text(row, 'uri');
  const session = optionalText(row, 'session');
  const title = text(row, 'title');
  return session === undefined ? { session: uri, title } : { session, chat: uri, title };
}
