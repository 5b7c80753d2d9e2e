import type { ChatState, ChatTurnsLoadedAction, Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Journal } from '../journal/journal.ts';
import type { StoredTurn } from '../journal/rows.ts';
import type { Channel } from './channel.ts';

/** Completed turns that a chat keeps in memory; it holds up to twice as many before the older half goes. */
export const WINDOW_TURNS = 20;

/** Bytes of JSON of those. Here, too, up to twice as much before the older ones go. */
export const WINDOW_BYTES = 8 * 1024 * 1024;

/** What a window is read from disk by. A newest turn that is larger is read when somebody asks for it. */
export const WINDOW_LIMITS = { limit: WINDOW_TURNS, maxBytes: WINDOW_BYTES, least: 0 } as const;

/** Ordinal of the oldest turn in a chat's window. */
export const firstOrdinal = (chat: Channel<'chat'>): number =>
  chat.hostData.turnCount - chat.state.turns.length;

/** Cursor for the turns older than `ordinal`, of which `keptFrom` is the oldest, or `undefined` when there are none [CHAT-15]. Survives restarts. */
export const cursorBefore = (ordinal: number, keptFrom = 0): string | undefined =>
  ordinal > keptFrom ? `before-${ordinal}` : undefined;

/** The ordinal that a cursor stands for, or `undefined` when it is none of ours. */
export function ordinalOfCursor(cursor: string): number | undefined {
  const match = /^before-([1-9]\d{0,11})$/.exec(cursor);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** Whether a chat has turns before this ordinal: its oldest may have been dropped by the retention policy. */
export const hasOlder = async (journal: Journal, chat: string, ordinal: number): Promise<boolean> =>
  ordinal > 0 && (await journal.hasTurnBefore(chat, ordinal));

const sizes = new WeakMap<Turn, number>();

/** Length of a completed turn as JSON. Turns never change in place, so that each is written down for it once. */
function turnSize(turn: Turn): number {
  return sizes.get(turn) ?? writeTurn(turn).length;
}

/** A completed turn as JSON, and so how long it is. */
export function writeTurn(turn: Turn): string {
  const json = JSON.stringify(turn);
  sizes.set(turn, json.length);
  return json;
}

/** The newest turns, at most `count` of them and within `maxBytes` of JSON, but `least` always (unless fewer are wanted). */
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

/** How long the newest turn in a chat's window is as JSON; 0 without one. */
export function newestSize({ turns }: ChatState): number {
  const newest = turns.at(-1);
  return newest === undefined ? 0 : turnSize(newest);
}

/** How long the completed turns in a chat's window are as JSON. */
export const windowSize = ({ turns }: ChatState): number =>
  turns.reduce((sum, turn) => sum + turnSize(turn), 0);

/** What of a chat's turns stays in memory; the same array while it is not too much. */
export function windowWithin(turns: readonly Turn[]): readonly Turn[] {
  const isTooMany = turns.length > 2 * WINDOW_TURNS;
  const isTooLarge = newestWithin(turns, turns.length, 2 * WINDOW_BYTES, 0).turns.length < turns.length;
  return isTooMany || isTooLarge ? newestWithin(turns, WINDOW_TURNS, WINDOW_BYTES, 0).turns : turns;
}

/** A turn as it was stored. The row was written by this host from a checked state. */
export function readTurn(row: StoredTurn): Turn {
  const turn: Turn = JSON.parse(row.json);
  sizes.set(turn, row.json.length);
  return turn;
}

/** A chat's state with this window of turns, and the cursor that goes with it; `keptFrom` as in its local. */
export function withTurns(state: ChatState, turns: Turn[], oldest: number, keptFrom = 0): ChatState {
  const { turnsNextCursor: _, ...rest } = state;
  const cursor = cursorBefore(oldest, keptFrom);
  return { ...rest, turns, ...defined({ turnsNextCursor: cursor }) };
}

/** What brings older turns into a window, and the cursor for those before them; without one there are none. */
export const turnsLoaded = (turns: Turn[], cursor: string | undefined): ChatTurnsLoadedAction => ({
  type: 'chat/turnsLoaded',
  turns,
  ...defined({ turnsNextCursor: cursor }),
});

/** A chat's window: as it is, or as it was at a boundary. */
export interface ChatWindow {
  readonly chat: string;
  readonly window: readonly Turn[];
  readonly firstOrdinal: number;
}

/** The window as it is now. */
export const windowOf = (chat: Channel<'chat'>): ChatWindow => ({
  chat: chat.uri,
  window: chat.state.turns,
  firstOrdinal: firstOrdinal(chat),
});

/** The ordinal of a completed turn, from the window or from disk; `undefined` when there is no such turn. */
export async function findOrdinal(
  journal: Journal,
  { chat, window, firstOrdinal: first }: ChatWindow,
  turnId: string,
): Promise<number | undefined> {
  const index = window.findIndex(({ id }) => id === turnId);
  return index >= 0 ? first + index : journal.findTurn(chat, turnId);
}
