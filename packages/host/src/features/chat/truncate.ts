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

/** The place of the turn that becomes the last one. It holds until the history is cut. */
export interface CutPoint {
  readonly ordinal: number;
  /** The last turns up to and including it, brought in from disk. Absent: every window has it. */
  readonly turns?: Turn[];
  /** Bytes of those. */
  readonly bytes?: number;
}

/**
 * Finds where a truncation cuts, and what windows show after it, when the chat's own window (as it was at a boundary) or a
 * subscriber's may not hold that turn. `undefined`: there is no such turn.
 */
export async function findCut(
  sync: Sync,
  chat: Channel<'chat'>,
  at: ChatWindow,
  turnId: string,
): Promise<CutPoint | undefined> {
  const ordinal = await findOrdinal(sync.journal, at, turnId);
  if (ordinal === undefined) return undefined;
  if (!isLacking(chat, ordinal)) return { ordinal };
  const rows = await sync.journal.readTurns(at.chat, { before: ordinal + 1, ...WINDOW_LIMITS, least: 1 });
  const bytes = rows.reduce((sum, { json }) => sum + json.length, 0);
  return { ordinal, turns: rows.map(readTurn), bytes };
}

/** Whether the turns for a cut have to be brought in, and were not: a window may have come meanwhile. */
export const isIncomplete = (chat: Channel<'chat'>, cut: CutPoint | undefined): boolean =>
  cut !== undefined && cut.turns === undefined && isLacking(chat, cut.ordinal);

/** Whether a window, the host's own or a subscriber's, begins behind a turn. */
const isLacking = (chat: Channel<'chat'>, ordinal: number): boolean =>
  firstOrdinal(chat) > ordinal ||
  [...chat.subscriptions.values()].some(({ fromOrdinal }) => fromOrdinal > ordinal);

/**
 * Brings every window that lacks the turn to the same end, just before the public envelope [CHAT-6]: the host's own by
 * replacing it, a subscriber's by private envelopes. True when the host's own was cut.
 */
export function alignWindows(tx: Tx, sync: Sync, chat: Channel<'chat'>, cut: CutPoint): boolean {
  const { ordinal, turns: last, bytes = 0 } = cut;
  // A snapshot from before it must not be what its envelope comes behind, also where nothing is cut: its window may lack the turn.
  chat.historyVersion += 1;
  if (last === undefined) return false;
  sync.countWork(bytes);
  const { keptFrom } = chat.hostData;
  for (const subscription of chat.subscriptions.values()) {
    if (subscription.fromOrdinal <= ordinal) continue;
    const shown = last.slice(-(subscription.view?.turns ?? WINDOW_TURNS) || last.length);
    const turns = subscription.takesTurns ? shown : [];
    const oldest = ordinal + 1 - turns.length;
    sync.sendPrivate(subscription.sink, { channel: chat.uri, action: { type: 'chat/truncated' } });
    if (subscription.takesTurns) {
      const action = turnsLoaded(turns, cursorBefore(oldest, keptFrom));
      sync.sendPrivate(subscription.sink, { channel: chat.uri, action });
    }
    tx.undo(moveWindow(subscription, oldest, sync.sequencer.last));
  }
  if (firstOrdinal(chat) <= ordinal) return false;
  const turnCount = ordinal + 1;
  tx.write({ op: 'dropTurns', chat: chat.uri, from: turnCount });
  tx.setWindow(chat, withTurns(chat.state, last, turnCount - last.length, keptFrom));
  tx.setHostData(chat, { ...chat.hostData, turnCount });
  return true;
}
