import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type { ChatPendingMessageSetAction } from './actions.ts';
import type { ChatState, PendingMessage, PendingMessageKind } from './state.ts';

/** Replaces the steering message, or adds or replaces a queued message by id [CHAT-11]. */
export function setPending(state: ChatState, action: ChatPendingMessageSetAction): ChatState {
  const { kind, id, message } = action;
  const pending = patch<PendingMessage>({ id, message }, { 'x-by': action['x-by'] });
  const queue = state.queuedMessages ?? [];
  switch (kind) {
    case 'steering':
      return patch(state, { steeringMessage: pending });
    case 'queued':
      return patch(state, { queuedMessages: withItem(queue, indexOfId(queue, id), pending) });
    default:
      return state;
  }
}

/** Removes the pending message of this kind and id. An empty queue becomes absent [CHAT-11]. */
export function removePending(state: ChatState, kind: PendingMessageKind, id: string): ChatState {
  switch (kind) {
    case 'steering':
      return state.steeringMessage?.id === id ? patch(state, { steeringMessage: undefined }) : state;
    case 'queued': {
      const queue = state.queuedMessages ?? [];
      const index = indexOfId(queue, id);
      if (index < 0) return state;
      return patch(state, {
        queuedMessages: queue.length > 1 ? withoutItem(queue, index) : undefined,
      });
    }
    default:
      return state;
  }
}

/** Moves the listed messages to the front in this order. The others follow in their old order [CHAT-11]. */
export function reorderQueue(state: ChatState, order: readonly string[]): ChatState {
  const rest = new Map<string, PendingMessage>();
  for (const queued of state.queuedMessages ?? []) rest.set(queued.id, queued);
  const named: PendingMessage[] = [];
  for (const id of order) {
    const queued = rest.get(id);
    if (!queued) continue;
    rest.delete(id);
    named.push(queued);
  }
  if (named.length === 0) return state;
  return patch(state, { queuedMessages: [...named, ...rest.values()] });
}
