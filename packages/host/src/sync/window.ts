import type { ChatState, ChatTurnsLoadedAction, Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Journal } from '../journal/journal.ts';
import type { StoredTurn } from '../journal/rows.ts';
import type { Channel } from './channel.ts';

/**
 * Number of completed turns that a chat keeps in memory. Up to twice as many are held before the older half
 * is dropped.
 */
export const WINDOW_TURNS = 20;

/** Bytes of JSON of these turns. Again up to twice as many are held before older ones are dropped. */
export const WINDOW_BYTES = 8 * 1024 * 1024;

/** Limits for reading a window from disk. A newest turn above the limit is read when needed. */
export const WINDOW_LIMITS = { limit: WINDOW_TURNS, maxBytes: WINDOW_BYTES, least: 0 } as const;

/** Ordinal of the oldest turn in a chat's window. */
export const firstOrdinal = (chat: Channel<'chat'>): number =>
  chat.hostData.turnCount - chat.state.turns.length;

/**
 * Cursor for the turns older than `ordinal`; `keptFrom` is the oldest existing turn. `undefined` if there are
 * no older turns [CHAT-15]. Stays valid after a restart.
 */
export const cursorBefore = (ordinal: number, keptFrom = 0): string | undefined =>
  ordinal > keptFrom ? `before-${ordinal}` : undefined;

/** The ordinal of a cursor. `undefined` for a cursor that this host did not create. */
export function ordinalOfCursor(cursor: string): number | undefined {
  const match = /^before-([1-9]\d{0,11})$/.exec(cursor);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** Whether a chat has turns before this ordinal. The retention policy may have removed its oldest turns. */
export const hasOlder = async (journal: Journal, chat: string, ordinal: number): Promise<boolean> =>
  ordinal > 0 && (await journal.hasTurnBefore(chat, ordinal));

const sizes = new WeakMap<Turn, number>();

/** Length of a completed turn as JSON. Stored for each turn, because turns are never changed in place. */
function turnSize(turn: Turn): number {
  return sizes.get(turn) ?? writeTurn(turn).length;
}

/** A completed turn as JSON. Also records its length. */
export function writeTurn(turn: Turn): string {
  const json = JSON.stringify(turn);
  sizes.set(turn, json.length);
  return json;
}

/**
 * The newest turns: at most `count`, and within `maxBytes` of JSON, but at least `least` unless `count` is
 * lower.
 */
export function newestWithin(
  turns: readonly Turn[],
  count: number,
  maxBytes: number,
  least: 0 | 1 = 1,
): { turns: Turn[]; bytes: number } {
  let bytes = 0;
  let start = turns.length;
  for (
    let turn = turns[start - 1];
    turn !== undefined && turns.length - start < count;
    turn = turns[start - 1]
  ) {
    const size = turnSize(turn);
    if (turns.length - start >= least && bytes + size > maxBytes) break;
    bytes += size;
    start -= 1;
  }
  return { turns: turns.slice(start), bytes };
}

/** JSON length of the newest turn in a chat's window; 0 without turns. */
export function newestSize({ turns }: ChatState): number {
  const newest = turns.at(-1);
  return newest === undefined ? 0 : turnSize(newest);
}

/** JSON length of the completed turns in a chat's window. */
export const windowSize = ({ turns }: ChatState): number =>
  turns.reduce((sum, turn) => sum + turnSize(turn), 0);

/** The turns of a chat that stay in memory. Returns the same array if it is within the limits. */
export function windowWithin(turns: readonly Turn[]): readonly Turn[] {
  const isTooMany = turns.length > 2 * WINDOW_TURNS;
  const isTooLarge = newestWithin(turns, turns.length, 2 * WINDOW_BYTES, 0).turns.length < turns.length;
  return isTooMany || isTooLarge ? newestWithin(turns, WINDOW_TURNS, WINDOW_BYTES, 0).turns : turns;
}

/** A turn as stored. This host wrote the row after validation. */
export function readTurn(row: StoredTurn): Turn {
  const turn: Turn = JSON.parse(row.json);
  sizes.set(turn, row.json.length);
  return turn;
}

/**
 * A chat's state with this window of turns and the matching cursor. `keptFrom` is that of the chat's host
 * data.
 */
export function withTurns(state: ChatState, turns: Turn[], oldest: number, keptFrom = 0): ChatState {
  const { turnsNextCursor: _, ...rest } = state;
  const cursor = cursorBefore(oldest, keptFrom);
  return { ...rest, turns, ...defined({ turnsNextCursor: cursor }) };
}

/**
 * The action that adds older turns to a window. `cursor` leads to earlier turns; without it there are none.
 */
export const turnsLoaded = (turns: Turn[], cursor: string | undefined): ChatTurnsLoadedAction => ({
  type: 'chat/turnsLoaded',
  turns,
  ...defined({ turnsNextCursor: cursor }),
});

/** A chat's window, now or at a boundary. */
export interface ChatWindow {
  readonly chat: string;
  readonly window: readonly Turn[];
  readonly firstOrdinal: number;
}

/** The current window. */
export const windowOf = (chat: Channel<'chat'>): ChatWindow => ({
  chat: chat.uri,
  window: chat.state.turns,
  firstOrdinal: firstOrdinal(chat),
});

/** The ordinal of a completed turn, from the window or from disk. `undefined` if there is no such turn. */
export async function findOrdinal(
  journal: Journal,
  { chat, window, firstOrdinal: first }: ChatWindow,
  turnId: string,
): Promise<number | undefined> {
  const index = window.findIndex(({ id }) => id === turnId);
  return index >= 0 ? first + index : journal.findTurn(chat, turnId);
}
