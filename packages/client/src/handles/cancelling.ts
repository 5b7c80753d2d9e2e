import type { ActiveTurn } from '@agenthost/protocol';
import type { DispatchableAction } from '../mirror/mirror.ts';

/**
 * The action that cancels a turn, with the time in milliseconds that it has run by the client's clock; 0 where its start is unknown [CHAT-20].
 * `now`: milliseconds since the epoch.
 */
export function cancelling(
  turnId: string,
  turn: Pick<ActiveTurn, 'id' | 'startedAt'> | undefined,
  now: number,
): DispatchableAction<'chat'> {
  const startedAt = turn?.id === turnId ? Date.parse(turn.startedAt) : Number.NaN;
  const duration = Number.isNaN(startedAt) ? 0 : Math.max(0, now - startedAt);
  return { type: 'chat/turnCancelled', turnId, duration };
}
