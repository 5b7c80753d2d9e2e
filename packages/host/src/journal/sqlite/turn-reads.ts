import type { TurnRange } from '../journal.ts';
import type { StoredTurn } from '../rows.ts';
import { clip, END, type Span } from '../spans.ts';
import { spansOf } from './spans.ts';
import { number, type Statements, text, UNLIMITED } from './statements.ts';

/** The reads of turns in `Journal`, synchronously. See `SqliteTurnWriter` for lines and spans. */
export class SqliteTurnReader {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  range(
    chat: string,
    { before, limit, maxBytes = Number.POSITIVE_INFINITY, least = 1 }: TurnRange,
  ): StoredTurn[] {
    const keys: number[] = [];
    let total = 0;
    // Reads sizes first: JSON beyond the limit is not read.
    for (const { line, start, stop } of this.#spans(chat, before).toReversed()) {
      const rows = this.#statements.iterate(
        `SELECT key, bytes FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ?
         ORDER BY ordinal DESC LIMIT ?`,
        line,
        start,
        stop,
        limit === undefined ? UNLIMITED : limit - keys.length,
      );
      for (const row of rows) {
        total += number(row, 'bytes');
        if (keys.length >= least && total > maxBytes) return this.#turnsBy(keys);
        keys.push(number(row, 'key'));
      }
    }
    return this.#turnsBy(keys);
  }

  /** Turns by the keys of their rows, in reverse order. */
  #turnsBy(keys: readonly number[]): StoredTurn[] {
    return keys.toReversed().flatMap((key) => {
      const row = this.#statements.get('SELECT ordinal, id, json FROM turns WHERE key = ?', key);
      return row === undefined
        ? []
        : [{ ordinal: number(row, 'ordinal'), id: text(row, 'id'), json: text(row, 'json') }];
    });
  }

  hasBefore(chat: string, before: number): boolean {
    return this.#spans(chat, before).some(
      ({ line, start, stop }) =>
        this.#statements.get(
          'SELECT 1 FROM turns WHERE chat = ? AND ordinal >= ? AND ordinal < ? LIMIT 1',
          line,
          start,
          stop,
        ) !== undefined,
    );
  }

  ordinalOf(chat: string, turnId: string): number | undefined {
    for (const { line, start, stop } of this.#spans(chat)) {
      const row = this.#statements.get(
        `SELECT ordinal FROM turns WHERE chat = ? AND id = ? AND ordinal >= ? AND ordinal < ?
         ORDER BY ordinal LIMIT 1`,
        line,
        turnId,
        start,
        stop,
      );
      if (row !== undefined) return number(row, 'ordinal');
    }
    return undefined;
  }

  /** Where the turns of a chat stand, up to an ordinal. */
  #spans(chat: string, before: number = END): Span[] {
    const spans = spansOf(this.#statements, chat) ?? [{ start: 0, stop: END, line: chat }];
    return clip(spans, { start: 0, stop: before });
  }
}
