import type { Turn } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { cursorBefore, firstOrdinal, readTurn, WINDOW_TURNS, withTurns } from '../../sync/window.ts';

/** The last turns up to and including one, brought in from disk. */
export interface CutPoint {
  readonly turnId: string;
  readonly ordinal: number;
  readonly turns: Turn[];
  /** History as it was when this was read. */
  readonly historyVersion: number;
}

/**
 * Finds where a truncation cuts, and what windows show after it, when the chat's own window or a subscriber's may not
 * hold that turn. `undefined`: there is no such turn.
 */
export async function findCut(
  sync: Sync,
  chat: Channel<'chat'>,
  turnId: string,
): Promise<CutPoint | undefined> {
  const { historyVersion } = chat;
  const inWindow = chat.state.turns.findIndex(({ id }) => id === turnId);
  const ordinal =
    inWindow >= 0 ? firstOrdinal(chat) + inWindow : await sync.journal.findTurn(chat.uri, turnId);
  if (ordinal === undefined) return undefined;
  const rows = await sync.journal.readTurns(chat.uri, { before: ordinal + 1, limit: WINDOW_TURNS });
  return { turnId, ordinal, turns: rows.map(readTurn), historyVersion };
}

/**
 * Brings every window that lacks the turn to the same end, just before the public envelope [CHAT-6]: the host's own by
 * replacing it, a subscriber's by private envelopes. Inside `path.transact` only.
 */
export function alignWindows(sync: Sync, chat: Channel<'chat'>, cut: CutPoint): void {
  for (const subscription of chat.subscriptions.values()) {
    if (subscription.fromOrdinal <= cut.ordinal) continue;
    const turns = cut.turns.slice(-(subscription.view?.turns ?? WINDOW_TURNS) || cut.turns.length);
    const oldest = cut.ordinal + 1 - turns.length;
    const cursor = cursorBefore(oldest);
    sync.sendPrivate(subscription.sink, { channel: chat.uri, action: { type: 'chat/truncated' } });
    sync.sendPrivate(subscription.sink, {
      channel: chat.uri,
      action: {
        type: 'chat/turnsLoaded',
        turns,
        ...(cursor === undefined ? {} : { turnsNextCursor: cursor }),
      },
    });
    const { fromOrdinal } = subscription;
    subscription.fromOrdinal = oldest;
    subscription.isRealigned = true;
    sync.path.undo(() => {
      subscription.fromOrdinal = fromOrdinal;
    });
  }
  if (firstOrdinal(chat) <= cut.ordinal) return;
  const turnCount = cut.ordinal + 1;
  sync.path.write({ op: 'dropTurns', chat: chat.uri, from: turnCount });
  sync.setWindow(chat, withTurns(chat.state, cut.turns, turnCount - cut.turns.length));
  sync.setLocal(chat, { ...chat.local, turnCount });
  chat.historyVersion += 1;
}
