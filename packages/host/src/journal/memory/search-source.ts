import type { StoredSession } from '../rows.ts';
import { matchFields } from '../search/match.ts';
import type { Term } from '../search/query.ts';
import type { FoundSlice, SearchSource, TitleFound, TurnFound } from '../search/search.ts';
import { textOf, titleIn } from '../search/text.ts';
import type { MemoryTables } from './tables.ts';

/** Searches a memory journal by reading all rows. */
export class MemorySearchSource implements SearchSource {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  end(): number {
    return this.#tables.lastTurnKey + 1;
  }

  isComplete(): boolean {
    return true;
  }

  titles(terms: readonly Term[], _below: number, limit: number): FoundSlice<TitleFound> {
    const { sessions, channels } = this.#tables;
    const titles: TitleFound[] = [
      ...[...sessions.values()].map(({ uri, summary }) => ({ session: uri, title: titleIn(summary) })),
      ...[...channels.values()].flatMap(({ uri, kind, session, state }) =>
        kind === 'chat' && session !== undefined ? [{ session, chat: uri, title: titleIn(state) }] : [],
      ),
    ];
    const found = titles.filter(({ title }) => matchFields({ title }, terms) !== undefined);
    return { found: found.toReversed().slice(0, limit) };
  }

  turns(terms: readonly Term[], below: number, limit: number): FoundSlice<TurnFound> {
    const found = new Map<number, TurnFound>();
    for (const [chat, turns] of this.#tables.turns) {
      for (const [ordinal, { key, id, json }] of turns) {
        if (key >= below || found.has(key)) continue;
        if (matchFields({ ...textOf(json) }, terms) !== undefined)
          found.set(key, { key, chat, turnId: id, ordinal });
      }
    }
    return { found: [...found.values()].toSorted((a, b) => b.key - a.key).slice(0, limit) };
  }

  json(key: number): string | undefined {
    for (const turns of this.#tables.turns.values()) {
      for (const turn of turns.values()) if (turn.key === key) return turn.json;
    }
    return undefined;
  }

  sessionOf(chat: string): string | undefined {
    return this.#tables.channels.get(chat)?.session;
  }

  session(uri: string): StoredSession | undefined {
    return this.#tables.sessions.get(uri);
  }
}
