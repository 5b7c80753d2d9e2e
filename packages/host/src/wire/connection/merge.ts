import type { ActionEnvelope, StateAction } from '@agenthost/protocol';
import { isTextAppend, joinAppends } from '../../sync/text-append.ts';

/** The action types that only append to one target; neighbours of them may travel as one [SUB-4]. */
export const isAppend = (action: StateAction): boolean =>
  isTextAppend(action) || action.type === 'chat/toolCallDelta' || action.type === 'terminal/data';

/**
 * Two neighbouring envelopes as one that reduces to the same state, with the later number; `undefined` when they do not
 * append to the same target, answer a dispatch, or carry metadata [SUB-4].
 */
export function mergeEnvelopes(first: ActionEnvelope, second: ActionEnvelope): ActionEnvelope | undefined {
  if (first.channel !== second.channel || first.origin !== undefined || second.origin !== undefined)
    return undefined;
  const action = mergeActions(first.action, second.action);
  return action === undefined ? undefined : { ...second, action };
}

/** How much longer the JSON of an envelope becomes by one that is merged into it; `size` is that one's own length. */
export function addedLength({ action }: ActionEnvelope, size: number): number {
  switch (action.type) {
    case 'terminal/data':
      return JSON.stringify(action.data).length;
    case 'chat/delta':
    case 'chat/reasoning':
      return JSON.stringify(action.content).length;
    default:
      // Its message may replace the other's.
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
      return { ...second, content, ...(invocationMessage === undefined ? {} : { invocationMessage }) };
    }
    if (isTextAppend(first) && isTextAppend(second)) return joinAppends(first, second);
  }
  return undefined;
}
