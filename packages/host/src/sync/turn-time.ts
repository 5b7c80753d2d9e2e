import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';

/** The start of a turn that the host starts now: ISO 8601, by the host's clock [CHAT-20]. */
export const startedNow = (sync: Pick<Sync, 'stamp'>): string => new Date(sync.stamp()).toISOString();

/**
 * Milliseconds since the start of a chat's active turn, at least 0 [CHAT-20]. `at`: the end, in ms since the epoch; default: now. 0 without an
 * active turn.
 */
export function turnDuration(sync: Pick<Sync, 'stamp'>, chat: Channel<'chat'>, at = sync.stamp()): number {
  const startedAt = Date.parse(chat.outline.activeTurn?.startedAt ?? '');
  // The start may be a client's, whose clock may be ahead. Journals of earlier versions may lack it.
  return Number.isNaN(startedAt) ? 0 : Math.max(0, at - startedAt);
}
