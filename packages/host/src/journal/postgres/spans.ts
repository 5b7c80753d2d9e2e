import type { Span } from '../spans.ts';
import { number, type Row, type Statements, text } from './connection.ts';

/**
 * The spans of a chat, in order. `undefined` for a chat without shared turns: its turns are the whole line of its own key. An empty span
 * below every ordinal means that only other chats show the rows under the chat's key.
 */
export async function spansOf(statements: Statements, chat: string): Promise<Span[] | undefined> {
  const rows = await statements.all(
    'SELECT start, stop, line FROM agenthost.spans WHERE cell = $1 AND chat = $2 ORDER BY start',
    chat,
  );
  return rows.length === 0 ? undefined : rows.map(toSpan);
}

/** A row of `spans`. */
export function toSpan(row: Row): Span {
  return { start: number(row, 'start'), stop: number(row, 'stop'), line: text(row, 'line') };
}
