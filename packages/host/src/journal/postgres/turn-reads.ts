import type { TurnRange } from '../journal.ts';
import type { StoredTurn } from '../rows.ts';
import { clip, END, type Span } from '../spans.ts';
import { number, type Row, type Statements, text } from './connection.ts';
import { spansOf } from './spans.ts';
import { keyOf } from './stored-text.ts';

/** Number of turns whose sizes one statement reads. */
const PAGE_ROWS = 500;

/** See `Journal.readTurns`. Reads sizes first: JSON beyond the limit is not read. */
export async function readTurns(
  statements: Statements,
  chat: string,
  { before, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, least = 1 }: TurnRange,
): Promise<StoredTurn[]> {
  const chosen: StoredTurn[][] = [];
  let [count, total, isFull] = [0, 0, false];
  for (const span of (await shownSpans(statements, chat, before)).toReversed()) {
    let { stop } = span;
    let lowest: number | undefined;
    while (!isFull && count < limit) {
      const rows = await statements.all(
        `SELECT ordinal, bytes FROM agenthost.turns
         WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4 ORDER BY ordinal DESC LIMIT $5`,
        span.line,
        span.start,
        stop,
        Math.min(PAGE_ROWS, limit - count),
      );
      for (const row of rows) {
        total += number(row, 'bytes');
        isFull = count >= least && total > maxBytes;
        if (isFull) break;
        count += 1;
        lowest = stop = number(row, 'ordinal');
      }
      if (rows.length < PAGE_ROWS) break;
    }
    if (lowest !== undefined) {
      const rows = await statements.all(
        `SELECT ordinal, id, json FROM agenthost.turns
         WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4 ORDER BY ordinal`,
        span.line,
        lowest,
        span.stop,
      );
      chosen.unshift(rows.map(toTurn));
    }
    if (isFull || count >= limit) break;
  }
  return chosen.flat();
}

/** See `Journal.hasTurnBefore`. */
export async function hasTurnBefore(statements: Statements, chat: string, before: number): Promise<boolean> {
  for (const { line, start, stop } of await shownSpans(statements, chat, before)) {
    const row = await statements.get(
      'SELECT 1 FROM agenthost.turns WHERE cell = $1 AND chat = $2 AND ordinal >= $3 AND ordinal < $4 LIMIT 1',
      line,
      start,
      stop,
    );
    if (row !== undefined) return true;
  }
  return false;
}

/** See `Journal.findTurn`. */
export async function findTurn(
  statements: Statements,
  chat: string,
  turnId: string,
): Promise<number | undefined> {
  for (const { line, start, stop } of await shownSpans(statements, chat)) {
    const row = await statements.get(
      `SELECT ordinal FROM agenthost.turns
       WHERE cell = $1 AND chat = $2 AND id = $3 AND ordinal >= $4 AND ordinal < $5 ORDER BY ordinal LIMIT 1`,
      line,
      turnId,
      start,
      stop,
    );
    if (row !== undefined) return number(row, 'ordinal');
  }
  return undefined;
}

/** The spans of a chat's turns, up to an ordinal. */
async function shownSpans(statements: Statements, uri: string, before: number = END): Promise<Span[]> {
  const chat = keyOf(uri);
  const spans = (await spansOf(statements, chat)) ?? [{ start: 0, stop: END, line: chat }];
  return clip(spans, { start: 0, stop: before });
}

const toTurn = (row: Row): StoredTurn => ({
  ordinal: number(row, 'ordinal'),
  id: text(row, 'id'),
  json: text(row, 'json'),
});
