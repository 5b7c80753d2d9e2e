import { patch } from '../wire/patch.ts';
import type {
  SessionChatAddedAction,
  SessionChatRemovedAction,
  SessionChatUpdatedAction,
} from './actions.ts';
import { chatPosition, withChat, withoutChat } from './chats-index.ts';
import type { SessionState } from './state.ts';

/** Replaces the catalogue entry of a chat in place, or appends it [SESS-6]. */
export function upsertChat(state: SessionState, { summary }: SessionChatAddedAction): SessionState {
  return withChats(state, withChat(state.chats, chatPosition(state.chats, summary.resource), summary));
}

/** Removes a chat from the catalogue, and from `defaultChat` [SESS-6]. */
export function removeChat(state: SessionState, { chat }: SessionChatRemovedAction): SessionState {
  const index = chatPosition(state.chats, chat);
  if (index < 0) return state;
  const next = withChats(state, withoutChat(state.chats, index));
  return state.defaultChat === chat ? patch(next, { defaultChat: undefined }) : next;
}

/** Merges fields into the entry of a known chat. Its URI never changes [SESS-6]. */
export function updateChat(state: SessionState, action: SessionChatUpdatedAction): SessionState {
  const index = chatPosition(state.chats, action.chat);
  const chat = state.chats[index];
  if (!chat) return state;
  const merged = { ...chat, ...action.changes, resource: chat.resource };
  return withChats(state, withChat(state.chats, index, merged));
}

/** Compares no entries, because the changed one is known. */
const withChats = (state: SessionState, chats: SessionState['chats']): SessionState =>
  chats === state.chats ? state : { ...state, chats };
