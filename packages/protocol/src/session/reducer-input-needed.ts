import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type { SessionInputNeededRemovedAction, SessionInputNeededSetAction } from './actions.ts';
import { withActivity, withoutInputBit } from './reducer-status.ts';
import type { SessionState } from './state.ts';
import { SessionStatus } from './status.ts';

/** Adds or replaces an entry, which sets InputNeeded [SESS-7]. */
export function setInputNeeded(state: SessionState, { request }: SessionInputNeededSetAction): SessionState {
  const list = state.inputNeeded ?? [];
  return patch(state, {
    inputNeeded: withItem(list, indexOfId(list, request.id), request),
    status: withActivity(state.status, SessionStatus.InputNeeded),
  });
}

/** Removes an entry. With the last one the list becomes absent and InputNeeded becomes InProgress. */
export function removeInputNeeded(
  state: SessionState,
  { id }: SessionInputNeededRemovedAction,
): SessionState {
  const list = state.inputNeeded ?? [];
  const index = indexOfId(list, id);
  if (index < 0) return state;
  if (list.length > 1) return patch(state, { inputNeeded: withoutItem(list, index) });
  return patch(state, { inputNeeded: undefined, status: withoutInputBit(state.status) });
}
