import type { ActionEnvelope, StateAction } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { isTextAppend, joinAppends } from '../../sync/text-append.ts';

/** Whether an action only appends to one target. Neighbouring appends may be merged [SUB-4]. */
export const isAppend = (action: StateAction): boolean =>
  isTextAppend(action) || action.type === 'chat/toolCallDelta' || action.type === 'terminal/data';

/**
 * Merges two neighbouring envelopes into one that reduces to the same state and has the later number. Returns `undefined` if they do not append
 * to the same target, answer a dispatch, or carry metadata [SUB-4].
 */
export function mergeEnvelopes(first: ActionEnvelope, second: ActionEnvelope): ActionEnvelope | undefined {
  if (first.channel !== second.channel || first.origin !== undefined || second.origin !== undefined)
    return undefined;
  const action = mergeActions(first.action, second.action);
  return action === undefined ? undefined : { ...second, action };
}

/** The length that an envelope adds to the JSON of an envelope that it is merged into. `size`: the length of its own JSON. */
export function addedLength({ action }: ActionEnvelope, size: number): number {
  switch (action.type) {
    case 'terminal/data':
      return JSON.stringify(action.data).length;
    case 'chat/delta':
    case 'chat/reasoning':
      return JSON.stringify(action.content).length;
    default:
      // It may replace the message of the other envelope.
      return size;
  }
}

function mergeActions(first: StateAction, second: StateAction): StateAction | undefined {
  if (first.type === 'terminal/data') {
    return second.type === 'terminal/data' ? { ...second, data: first.data + second.data } : undefined;
  }
  if (!('_meta' in first) && !('_meta' in second)) {
    if (first.type === 'chat/toolCallDelta' && second.type === 'chat/toolCallDelta') {
      if (first.turnId !== second.turnId || first.toolCallId !== second.toolCallId) return undefined;
      const { invocationMessage = first.invocationMessage } = second;
      const content = first.content + second.content;
      return { ...second, content, ...defined({ invocationMessage }) };
    }
    if (isTextAppend(first) && isTextAppend(second)) return joinAppends(first, second);
  }
  return undefined;
}
