import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type { BackgroundWork, ChatState } from './state.ts';

/** Replaces background work in place, or appends it [CHAT-46]. */
export function setBackgroundWork(state: ChatState, work: BackgroundWork): ChatState {
  const list = state.backgroundWork ?? [];
  return patch(state, { backgroundWork: withItem(list, indexOfId(list, work.id), work) });
}

/** Removes background work. The last entry leaves an empty list [CHAT-46]. */
export function removeBackgroundWork(state: ChatState, id: string): ChatState {
  const list = state.backgroundWork ?? [];
  const index = indexOfId(list, id);
  return index < 0 ? state : patch(state, { backgroundWork: withoutItem(list, index) });
}
