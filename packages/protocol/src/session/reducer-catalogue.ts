import type { ChatSummary } from '../chat/state.ts';
import { patch, withItem, withoutItem } from '../wire/patch.ts';
import type {
  SessionChatAddedAction,
  SessionChatRemovedAction,
  SessionChatUpdatedAction,
} from './actions.ts';
import type { SessionState } from './state.ts';

function indexOfChat(chats: readonly ChatSummary[], resource: string): number {
  return chats.findIndex((chat) => chat.resource === resource);
}

/** Replaces the whole catalogue entry of a chat in place, or appends it [SESS-6]. */
export function upsertChat(state: SessionState, { summary }: SessionChatAddedAction): SessionState {
  const index = indexOfChat(state.chats, summary.resource);
  return patch(state, { chats: withItem(state.chats, index, summary) });
}

/** Drops a chat from the catalogue, and `defaultChat` with it when it named that chat [SESS-6]. */
export function removeChat(state: SessionState, { chat }: SessionChatRemovedAction): SessionState {
  const index = indexOfChat(state.chats, chat);
  if (index < 0) return state;
  const chats = withoutItem(state.chats, index);
  return state.defaultChat === chat
    ? patch(state, { chats, defaultChat: undefined })
    : patch(state, { chats });
}

/** Merges fields into a known chat's entry; identity never changes [SESS-6]. */
export function updateChat(state: SessionState, action: SessionChatUpdatedAction): SessionState {
  const index = indexOfChat(state.chats, action.chat);
  const chat = state.chats[index];
  if (!chat) return state;
  const merged = { ...chat, ...action.changes, resource: chat.resource };
  return patch(state, { chats: withItem(state.chats, index, merged) });
}
