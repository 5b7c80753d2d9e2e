import type { Turn } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
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

/** The last turns up to and including one, brought in from disk. It holds until the history is cut. */
export interface CutPoint {
  readonly ordinal: number;
  readonly turns: Turn[];
}

/**
 * Finds where a truncation cuts, and what windows show after it, when the chat's own window (as it was at a boundary) or a
 * subscriber's may not hold that turn. `undefined`: there is no such turn.
 */
export async function findCut(sync: Sync, at: ChatWindow, turnId: string): Promise<CutPoint | undefined> {
  const ordinal = await findOrdinal(sync.journal, at, turnId);
  if (ordinal === undefined) return undefined;
  const rows = await sync.journal.readTurns(at.chat, { before: ordinal + 1, ...WINDOW_LIMITS, least: 1 });
  return { ordinal, turns: rows.map(readTurn) };
}

/**
 * Brings every window that lacks the turn to the same end, just before the public envelope [CHAT-6]: the host's own by
 * replacing it, a subscriber's by private envelopes. True when the host's own was cut. Inside `path.transact` only.
 */
export function alignWindows(sync: Sync, chat: Channel<'chat'>, cut: CutPoint): boolean {
  const { keptFrom } = chat.local;
  let isAligned = false;
  for (const subscription of chat.subscriptions.values()) {
    if (subscription.fromOrdinal <= cut.ordinal) continue;
    const turns = cut.turns.slice(-(subscription.view?.turns ?? WINDOW_TURNS) || cut.turns.length);
    const oldest = cut.ordinal + 1 - turns.length;
    sync.sendPrivate(subscription.sink, { channel: chat.uri, action: { type: 'chat/truncated' } });
    sync.sendPrivate(subscription.sink, {
      channel: chat.uri,
      action: turnsLoaded(turns, cursorBefore(oldest, keptFrom)),
    });
    sync.path.undo(moveWindow(subscription, oldest, sync.sequencer.last));
    isAligned = true;
  }
  // A snapshot from before it must not be what these envelopes come behind, also where nothing is cut.
  if (isAligned) chat.historyVersion += 1;
  if (firstOrdinal(chat) <= cut.ordinal) return false;
  const turnCount = cut.ordinal + 1;
  sync.path.write({ op: 'dropTurns', chat: chat.uri, from: turnCount });
  sync.setWindow(chat, withTurns(chat.state, cut.turns, turnCount - cut.turns.length, keptFrom));
  sync.setLocal(chat, { ...chat.local, turnCount });
  chat.historyVersion += 1;
  return true;
}
