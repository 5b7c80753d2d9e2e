import {
  CHANNEL_LIMITS,
  type ChannelKind,
  type ChannelState,
  type ChatState,
  cutText,
  fitTexts,
  type Message,
  type PendingMessage,
  weightOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

/** The parts of a chat that have no limits of their own. Turns are stored as rows. */
type Rest = Omit<ChatState, 'turns' | 'activeTurn'>;

/**
 * A state whose texts, and the queue of a chat, are cut to their limits. For values that an older host stored
 * or an agent supplied. Returns the same object if everything fits.
 */
export function fitState<K extends ChannelKind>(kind: K, state: ChannelState[K]): ChannelState[K];
export function fitState(kind: ChannelKind, state: ChannelState[ChannelKind]): ChannelState[ChannelKind] {
  if ('turns' in state) return fitChat(state);
  // Terminal output has its own limit.
  if ('content' in state) {
    const { content, ...rest } = state;
    const fitted = fitTexts(rest, kind);
    return fitted === rest ? state : { ...fitted, content };
  }
  return fitTexts(state, kind);
}

function fitChat(state: ChatState): ChatState {
  const { turns, activeTurn, ...rest } = state;
  const cut: Rest = fitTexts(withFittedQueue(rest), 'chat');
  return cut === rest ? state : { ...cut, turns, ...defined({ activeTurn }) };
}

function withFittedQueue(rest: Rest): Rest {
  if (rest.queuedMessages === undefined) return rest;
  const queuedMessages = fitQueue(rest.queuedMessages);
  return queuedMessages === rest.queuedMessages ? rest : { ...rest, queuedMessages };
}

/** Cuts each message of a queue that is too large in total to the same length. */
function fitQueue(queue: PendingMessage[]): PendingMessage[] {
  const { max } = CHANNEL_LIMITS.queuedLength;
  if (weightOf(queue) <= max) return queue;
  const share = Math.floor(max / (queue.length + 1));
  return queue.map((pending) => ({ ...pending, message: fitMessage(pending.message, share) }));
}

function fitMessage(message: Message, share: number): Message {
  if (weightOf(message) <= share) return message;
  const { text, ...rest } = message;
  const isTextLong = weightOf(rest) <= share / 2;
  return isTextLong
    ? { ...rest, text: cutText(text, Math.floor(share / 2)) }
    : { text: cutText(text, Math.floor(share / 2)), origin: message.origin };
}
