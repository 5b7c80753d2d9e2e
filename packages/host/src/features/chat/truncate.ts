import type { Turn } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import {
  type ChatWindow,
  cursorBefore,
  findOrdinal,
  firstOrdinal,
  readTurn,
  turnsLoaded,
  WINDOW_LIMITS,
  WINDOW_TURNS,
  withTurns,
} from '../../sync/window.ts';

/** The position of the turn that becomes the last one. Valid until the history is cut. */
export interface CutPoint {
  readonly ordinal: number;
  /** Ordinal of the oldest turn that every window must contain before the action. */
  readonly oldestNeeded: number;
  /** Least number of turns of each window afterwards. The public envelope of a cut removes nothing from an empty window. */
  readonly leastShown: number;
  /** The last turns up to and including it, read from disk. Absent: every window contains the needed turns. */
  readonly turns?: Turn[];
  /** Bytes of these turns. */
  readonly bytes?: number;
}

/**
 * Finds the position of a truncation's cut, and the turns for windows that do not contain it: the chat's own
 * window (as it was at a boundary) or a subscriber's. `undefined` if there is no such turn.
 */
export async function findCut(
  sync: Sync,
  chat: Channel<'chat'>,
  at: ChatWindow,
  turnId: string,
): Promise<CutPoint | undefined> {
  const ordinal = await findOrdinal(sync.journal, at, turnId);
  if (ordinal === undefined) return undefined;
  const cut = { ordinal, oldestNeeded: ordinal, leastShown: 0 };
  if (!isLacking(chat, ordinal)) return cut;
  return { ...cut, ...(await readUpTo(sync, at.chat, ordinal, 1)) };
}

/**
 * Finds the position of the chat's last turn, which is about to be resumed [CHAT-23], and the turns for windows that lack it. Windows need
 * the turn before it too: for protocol versions before 0.9, the resumed turn is cut off behind that turn and started again.
 */
export async function findResumed(sync: Sync, chat: Channel<'chat'>): Promise<CutPoint> {
  const ordinal = chat.hostData.turnCount - 1;
  const oldestNeeded = oldestForResume(chat);
  const cut = { ordinal, oldestNeeded, leastShown: ordinal - oldestNeeded + 1 };
  if (!lacksResumed(chat)) return cut;
  return { ...cut, ...(await readUpTo(sync, chat.uri, ordinal, 2)) };
}

/** Whether turns for a resumption must be read from disk. */
export const lacksResumed = (chat: Channel<'chat'>): boolean =>
  chat.hostData.turnCount > 0 && isLacking(chat, oldestForResume(chat));

const oldestForResume = ({ hostData: { turnCount, keptFrom = 0 } }: Channel<'chat'>): number =>
  Math.max(keptFrom, turnCount - 2);

async function readUpTo(
  sync: Sync,
  chat: string,
  ordinal: number,
  least: 1 | 2,
): Promise<{ turns: Turn[]; bytes: number }> {
  const rows = await sync.journal.readTurns(chat, { before: ordinal + 1, ...WINDOW_LIMITS, least });
  return { turns: rows.map(readTurn), bytes: rows.reduce((sum, { json }) => sum + json.length, 0) };
}

/** Whether turns for a cut are needed and were not read. A window may have been added meanwhile. */
export const isIncomplete = (chat: Channel<'chat'>, cut: CutPoint | undefined): boolean =>
  cut !== undefined && cut.turns === undefined && isLacking(chat, cut.oldestNeeded);

/** Whether a window of the host or a subscriber begins after a turn. */
const isLacking = (chat: Channel<'chat'>, ordinal: number): boolean =>
  firstOrdinal(chat) > ordinal ||
  [...chat.subscriptions.values()].some(({ fromOrdinal }) => fromOrdinal > ordinal);

/**
 * Gives every window that lacks a needed turn the same end, directly before the public envelope [CHAT-6]: the
 * host's window by replacement, those of subscribers by private envelopes. Returns true if the host's window
 * was replaced.
 */
export function alignWindows(tx: Tx, sync: Sync, chat: Channel<'chat'>, cut: CutPoint): boolean {
  const { ordinal, oldestNeeded, leastShown, turns: last, bytes = 0 } = cut;
  // Invalidates earlier snapshots, also if nothing is cut: they must not be followed by this envelope,
  // because their window may lack the turn.
  chat.historyVersion += 1;
  if (last === undefined) return false;
  sync.countWork(bytes);
  const { keptFrom } = chat.hostData;
  for (const subscription of chat.subscriptions.values()) {
    if (subscription.fromOrdinal <= oldestNeeded) continue;
    const viewed = subscription.view?.turns ?? WINDOW_TURNS;
    const shownCount = Math.max(viewed, leastShown);
    const shown = shownCount === 0 ? [] : last.slice(-shownCount);
    const turns = subscription.takesTurns ? shown : [];
    const oldest = ordinal + 1 - turns.length;
    sync.sendPrivate(subscription.sink, { channel: chat.uri, action: { type: 'chat/truncated' } });
    if (subscription.takesTurns) {
      const action = turnsLoaded(turns, cursorBefore(oldest, keptFrom));
      sync.sendPrivate(subscription.sink, { channel: chat.uri, action });
    }
    tx.undo(moveWindow(subscription, oldest, sync.sequencer.last));
  }
  if (firstOrdinal(chat) <= oldestNeeded) return false;
  const turnCount = ordinal + 1;
  tx.write({ op: 'dropTurns', chat: chat.uri, from: turnCount });
  tx.setWindow(chat, withTurns(chat.state, last, turnCount - last.length, keptFrom));
  tx.setHostData(chat, { ...chat.hostData, turnCount });
  return true;
}
