import {
  CHANNEL_LIMITS,
  chatTotals,
  conflict,
  excessOf,
  LIST_LIMITS,
  limitReached,
} from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';

/**
 * Throws if a session has no room for more chats. All chats are part of the state that each client of the session gets. `count`: number of
 * chats to be added. Default: 1.
 */
export function checkRoom({ uri, state }: Channel<'session'>, count = 1): void {
  const { max } = LIST_LIMITS.chats;
  if (state.chats.length + count > max)
    throw limitReached(
      `Session ${uri} has ${state.chats.length} chats, and the maximum is ${max}: dispose of some first`,
      'chats',
      max,
    );
  const { chatsLength } = CHANNEL_LIMITS;
  const { length } = chatTotals(state.chats);
  if (length >= chatsLength.max)
    throw conflict(`Session ${uri}: ${excessOf(chatsLength, length)}; dispose of a chat first`);
}
