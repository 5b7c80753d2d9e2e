import type { StoredSession } from '../rows.ts';
import { matchFields } from '../search/match.ts';
import type { Term } from '../search/query.ts';
import type { FoundSlice, SearchSource, TitleFound, TurnFound } from '../search/search.ts';
import { textOf } from '../search/text.ts';
import { number, optionalText, type Statements, text } from './connection.ts';
import { queryOf } from './lexemes.ts';

/** Number of rows that one statement reads with their JSON. */
const PAGE_ROWS = 50;

/** Runs a read of the journal. */
type Read = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>;

/** Searches the index of words, for one call of `search`. Keeps the rows that it found, from which `search` reads the matches. */
export class PostgresSearchSource implements SearchSource {
  readonly #read: Read;
  readonly #jsons = new Map<number, string>();
  readonly #sessionsOfChats = new Map<string, string>();
  readonly #sessions = new Map<string, StoredSession>();

  constructor(read: Read) {
    this.#read = read;
  }

  end(): Promise<number> {
    return this.#read(async (statements) => {
      const row = await statements.get(
        'SELECT key FROM agenthost.turns WHERE cell = $1 ORDER BY key DESC LIMIT 1',
      );
      return row === undefined ? 1 : number(row, 'key') + 1;
    });
  }

  /** The words of a row are written with the row. */
  isComplete(): boolean {
    return true;
  }

  titles(terms: readonly Term[], below: number, limit: number): Promise<FoundSlice<TitleFound>> {
    return this.#read(async (statements) => {
      const rows = await statements.all(
        `SELECT key, is_chat, title, coalesce(channels.long_uri, channels.uri) AS chat, ${SESSION_COLUMNS}
         FROM agenthost.titles
           LEFT JOIN agenthost.channels ON is_chat AND channels.cell = $1 AND channels.uri = titles.uri
           JOIN agenthost.sessions
             ON sessions.cell = $1 AND sessions.uri = CASE WHEN is_chat THEN channels.session ELSE titles.uri END
         WHERE titles.cell = $1 AND titles.words @@ $2::tsquery AND key < $3 ORDER BY key DESC LIMIT $4`,
        queryOf(statements.cell, terms),
        below,
        limit,
      );
      const found = rows.map((row) => {
        const session = this.#keepSession(row);
        const title = text(row, 'title');
        return row['is_chat'] === true ? { session, chat: text(row, 'chat'), title } : { session, title };
      });
      return { found };
    });
  }

  turns(terms: readonly Term[], below: number, limit: number): Promise<FoundSlice<TurnFound>> {
    return this.#read(async (statements) => {
      const rows = await statements.all(
        `SELECT found.key, found.id, ordinal, json, coalesce(channels.long_uri, channels.uri) AS shown, ${SESSION_COLUMNS}
         FROM (SELECT key, chat, id, ordinal, json FROM agenthost.turns
               WHERE cell = $1 AND words @@ $2::tsquery AND key < $3 ORDER BY key DESC LIMIT ${PAGE_ROWS}) AS found
           LEFT JOIN LATERAL (
             SELECT chat FROM agenthost.spans
             WHERE cell = $1 AND line = found.chat AND start <= ordinal AND stop > ordinal
             ORDER BY spans.chat <> found.chat, spans.chat LIMIT 1) AS copy ON true
           LEFT JOIN agenthost.channels ON channels.cell = $1 AND channels.uri = coalesce(copy.chat, found.chat)
           LEFT JOIN agenthost.sessions ON sessions.cell = $1 AND sessions.uri = channels.session
         ORDER BY key DESC`,
        queryOf(statements.cell, terms),
        below,
      );
      const found: TurnFound[] = [];
      for (const row of rows) {
        const chat = optionalText(row, 'shown');
        if (chat === undefined || optionalText(row, 'session') === undefined) continue;
        const [key, json] = [number(row, 'key'), text(row, 'json')];
        if (matchFields({ ...textOf(json) }, terms) === undefined) continue;
        this.#jsons.set(key, json);
        this.#sessionsOfChats.set(chat, this.#keepSession(row));
        found.push({ key, chat, turnId: text(row, 'id'), ordinal: number(row, 'ordinal') });
        if (found.length === limit) return { found, resume: key };
      }
      const last = rows.at(-1);
      return rows.length < PAGE_ROWS || last === undefined
        ? { found }
        : { found, resume: number(last, 'key') };
    });
  }

  json(key: number): string | undefined {
    const json = this.#jsons.get(key);
    // `search` calls this once.
    this.#jsons.delete(key);
    return json;
  }

  sessionOf(chat: string): string | undefined {
    return this.#sessionsOfChats.get(chat);
  }

  session(uri: string): StoredSession | undefined {
    return this.#sessions.get(uri);
  }

  #keepSession(row: Parameters<typeof text>[0]): string {
    const uri = text(row, 'session');
    if (!this.#sessions.has(uri))
      this.#sessions.set(uri, { uri, modifiedAt: text(row, 'modified_at'), summary: text(row, 'summary') });
    return uri;
  }
}

const SESSION_COLUMNS = 'coalesce(sessions.long_uri, sessions.uri) AS session, modified_at, summary';
