import { textOf, titleIn } from '../search/text.ts';
import { spaced } from '../search/words.ts';
import { STATE_COLUMNS, storedState } from './compression.ts';
import { number, optionalText, type Statements, text } from './statements.ts';

/** Size of the cache of titles, which saves a query for each change of a session. */
const KNOWN_TITLES_LIMIT = 10_000;
/** Pages of the index that one slice merges. */
const MERGED_PAGES = 16;

/** Updates the word index in the transactions that change turns and titles. The rowid of a turn is its `key`; that of a title is its negated key. */
export class SqliteSearchWriter {
  readonly #statements: Statements;
  readonly #known = new Map<string, string>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Clears the cache, after a rollback. */
  reset(): void {
    this.#known.clear();
  }

  turn(key: number, json: string): void {
    const { message, response } = textOf(json);
    this.#put(key, message, response);
  }

  /** Call this before the rows of `turns` are deleted. */
  dropTurns(line: string, start: number, stop: number): void {
    this.#statements.run(
      `DELETE FROM words WHERE rowid IN
         (SELECT key FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ?)`,
      line,
      start,
      stop,
    );
  }

  /** The title of a session or, with `session`, of a chat; `json` is its summary or its state. */
  title(uri: string, session: string | null, json: string): void {
    const title = titleIn(json);
    if (this.#known.get(uri) === title) return;
    if (this.#known.size >= KNOWN_TITLES_LIMIT) this.#known.clear();
    this.#known.set(uri, title);
    if (title === '') return this.#dropTitle(uri);
    const row = this.#statements.get('SELECT title FROM titles WHERE uri = ?', uri);
    if (row !== undefined && text(row, 'title') === title) return;
    const upserted = this.#statements.get(
      `INSERT INTO titles (uri, session, title) VALUES (?, ?, ?)
       ON CONFLICT (uri) DO UPDATE SET session = excluded.session, title = excluded.title RETURNING key`,
      uri,
      session,
      title,
    );
    if (upserted !== undefined) this.#put(-number(upserted, 'key'), title, '');
  }

  /** Gives the title of a chat to another session. */
  moveTitle(chat: string, session: string): void {
    this.#statements.run('UPDATE titles SET session = ? WHERE uri = ?', session, chat);
  }

  dropTitle(uri: string): void {
    this.#known.delete(uri);
    this.#dropTitle(uri);
  }

  /** Indexes rows that are older than the index, or merges parts of the index, for about `ms`. Returns whether work remains. */
  tend(ms: number): boolean {
    const end = performance.now() + ms;
    do {
      const row = this.#statements.get('SELECT source, below FROM unindexed LIMIT 1');
      if (row === undefined) return this.#merge();
      const source = text(row, 'source');
      const next = this.#statements.get(SOURCES[source] ?? '', number(row, 'below'));
      if (next === undefined) {
        this.#statements.run('DELETE FROM unindexed WHERE source = ?', source);
        continue;
      }
      if (source === 'turns') this.turn(number(next, 'key'), text(next, 'json'));
      else {
        const json = source === 'channels' ? storedState(next) : text(next, 'json');
        this.title(text(next, 'uri'), optionalText(next, 'session') ?? null, json);
      }
      this.#statements.run('UPDATE unindexed SET below = ? WHERE source = ?', number(next, 'key'), source);
    } while (performance.now() < end);
    return true;
  }

  /** Merges small parts of the index. Returns whether there may be more. */
  #merge(): boolean {
    const changed = (): number =>
      number(this.#statements.get('SELECT total_changes() AS count') ?? {}, 'count');
    const before = changed();
    this.#statements.run("INSERT INTO words (words, rank) VALUES ('merge', ?)", MERGED_PAGES);
    // SQLite's documentation: a difference below 2 means that there was nothing to merge.
    return changed() - before >= 2;
  }

  #dropTitle(uri: string): void {
    const row = this.#statements.get('DELETE FROM titles WHERE uri = ? RETURNING key', uri);
    if (row === undefined) return;
    this.#statements.run('DELETE FROM words WHERE rowid = ?', -number(row, 'key'));
  }

  #put(key: number, first: string, second: string): void {
    this.#statements.run(
      'INSERT OR REPLACE INTO words (rowid, message, response) VALUES (?, ?, ?)',
      key,
      spaced(first),
      spaced(second),
    );
  }
}

/** The next row to index, by the `source` of `unindexed`. */
const SOURCES: Readonly<Record<string, string>> = {
  turns: 'SELECT key, json FROM turns WHERE key < ? ORDER BY key DESC LIMIT 1',
  sessions:
    'SELECT rowid AS key, uri, NULL AS session, summary AS json FROM sessions WHERE rowid < ? ORDER BY rowid DESC LIMIT 1',
  channels: `SELECT id AS key, uri, session, ${STATE_COLUMNS} FROM channels JOIN states ON channel = uri
    WHERE id < ? AND kind = 'chat' ORDER BY id DESC LIMIT 1`,
};
