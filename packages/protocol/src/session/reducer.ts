import { directoriesAfter } from '../wire/directories.ts';
import type { StateAction } from '../wire/envelope.ts';
import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type {
  SessionAction,
  SessionActiveClientRemovedAction,
  SessionActiveClientSetAction,
  SessionChatAddedAction,
  SessionChatRemovedAction,
  SessionChatUpdatedAction,
  SessionInputNeededRemovedAction,
  SessionInputNeededSetAction,
} from './actions.ts';
import { chatPosition, reorderedChats, withChat, withoutChat } from './chats-index.ts';
import type { SessionInputRequest } from './input-needed.ts';
import { countChanged, countForPerson } from './needs-person.ts';
import {
  backgroundMcpServer,
  removeCustomization,
  setMcpServer,
  toggleCustomization,
  upsertCustomization,
} from './reducer-customizations.ts';
import { withActivity, withFlag, withoutInputBit } from './reducer-status.ts';
import type { SessionState } from './state.ts';
import { SessionStatus } from './status.ts';

/** Replaces the catalogue entry of a chat in place, or appends it [SESS-6]. */
function upsertChat(state: SessionState, { summary }: SessionChatAddedAction): SessionState {
  return withChats(state, withChat(state.chats, chatPosition(state.chats, summary.resource), summary));
}

/** Removes a chat from the catalogue, and from `defaultChat` [SESS-6]. */
function removeChat(state: SessionState, { chat }: SessionChatRemovedAction): SessionState {
  const index = chatPosition(state.chats, chat);
  if (index < 0) return state;
  const next = withChats(state, withoutChat(state.chats, index));
  return state.defaultChat === chat ? patch(next, { defaultChat: undefined }) : next;
}

/** Merges fields into the entry of a known chat. Its URI never changes [SESS-6]. */
function updateChat(state: SessionState, action: SessionChatUpdatedAction): SessionState {
  const index = chatPosition(state.chats, action.chat);
  const chat = state.chats[index];
  if (!chat) return state;
  const merged = { ...chat, ...action.changes, resource: chat.resource };
  return withChats(state, withChat(state.chats, index, merged));
}

/** Compares no entries, because the changed one is known. */
const withChats = (state: SessionState, chats: SessionState['chats']): SessionState =>
  chats === state.chats ? state : { ...state, chats };

/**
 * Reduces one action of a session channel [SESS-4], [SESS-6]…[SESS-10], [CUST-1], [MCP-1]. Returns `state`
 * itself when nothing changes. Does not aggregate over chats; see `aggregateSession`.
 */
export function sessionReducer(state: SessionState, action: StateAction): SessionState {
  switch (action.type) {
    case 'session/ready':
      return patch(state, { lifecycle: 'ready' });
    case 'session/creationFailed':
      return patch(state, { lifecycle: 'failed', creationError: action.error });
    case 'session/titleChanged':
      return patch(state, { title: action.title });
    case 'session/isReadChanged':
      return patch(state, { status: withFlag(state.status, SessionStatus.IsRead, action.isRead) });
    case 'session/isArchivedChanged':
      return patch(state, { status: withFlag(state.status, SessionStatus.IsArchived, action.isArchived) });
    case 'session/activityChanged':
      return patch(state, { activity: action.activity });
    case 'session/metaChanged':
      return patch(state, { _meta: action._meta });
    case 'session/serverToolsChanged':
      return patch(state, { serverTools: action.tools });
    case 'session/changesetsChanged':
      return patch(state, { changesets: action.changesets });
    case 'session/configChanged': {
      if (!state.config) return state;
      const values = action.replace ? action.config : { ...state.config.values, ...action.config };
      return patch(state, { config: patch(state.config, { values }) });
    }
    case 'session/chatAdded':
      return upsertChat(state, action);
    case 'session/chatRemoved':
      return removeChat(state, action);
    case 'session/chatUpdated':
      return updateChat(state, action);
    case 'session/chatsReordered':
      return withChats(state, reorderedChats(state.chats, action.chats));
    case 'session/defaultChatChanged':
      return patch(state, { defaultChat: action.defaultChat });
    case 'session/activeClientSet':
      return setActiveClient(state, action);
    case 'session/activeClientRemoved':
      return removeActiveClient(state, action);
    case 'session/inputNeededSet':
      return setInputNeeded(state, action);
    case 'session/inputNeededRemoved':
      return removeInputNeeded(state, action);
    case 'session/customizationsChanged':
      return patch(state, { customizations: action.customizations });
    case 'session/customizationUpdated':
      return upsertCustomization(state, action);
    case 'session/customizationRemoved':
      return removeCustomization(state, action);
    case 'session/customizationToggled':
      return toggleCustomization(state, action);
    case 'session/workingDirectorySet':
    case 'session/workingDirectoryRemoved':
    case 'session/workingDirectoryReplaced':
      return patch(state, {
        workingDirectories: directoriesAfter(state.workingDirectories, action),
      });
    case 'session/mcpServerStateChanged':
      return setMcpServer(state, action.id, action.state, action.channel);
    case 'session/mcpServerStartRequested':
      return setMcpServer(state, action.id, { kind: 'starting' });
    case 'session/mcpServerBackgroundRequested':
      return backgroundMcpServer(state, action.id);
    case 'session/mcpServerStopRequested':
      return setMcpServer(state, action.id, { kind: 'stopped' });
    default:
      action satisfies Exclude<StateAction, SessionAction>;
      return state;
  }
}

function indexOfClient(state: SessionState, clientId: string): number {
  return state.activeClients.findIndex((client) => client.clientId === clientId);
}

/** Replaces an active client in place, or appends it [SESS-8]. */
function setActiveClient(state: SessionState, { activeClient }: SessionActiveClientSetAction): SessionState {
  const index = indexOfClient(state, activeClient.clientId);
  return patch(state, { activeClients: withItem(state.activeClients, index, activeClient) });
}

/** Removes an active client. An unknown client changes nothing [SESS-8]. */
function removeActiveClient(
  state: SessionState,
  { clientId }: SessionActiveClientRemovedAction,
): SessionState {
  const index = indexOfClient(state, clientId);
  return index < 0 ? state : patch(state, { activeClients: withoutItem(state.activeClients, index) });
}

/** Adds or replaces an entry [SESS-7]. */
function setInputNeeded(state: SessionState, { request }: SessionInputNeededSetAction): SessionState {
  const list = state.inputNeeded ?? [];
  const index = indexOfId(list, request.id);
  const next = withItem(list, index, request);
  countChanged(list, next, { removed: list[index], added: request });
  return withInputNeeded(state, next);
}

/** Entries that wait for a person set InputNeeded; calls of client tools alone do not [SESS-26]. */
function withInputNeeded(state: SessionState, list: SessionInputRequest[]): SessionState {
  return patch(state, {
    inputNeeded: list.length === 0 ? undefined : list,
    status:
      countForPerson(list) > 0
        ? withActivity(state.status, SessionStatus.InputNeeded)
        : withoutInputBit(state.status),
  });
}

/** Removes an entry. With the last one the list becomes absent. */
function removeInputNeeded(state: SessionState, { id }: SessionInputNeededRemovedAction): SessionState {
  const list = state.inputNeeded ?? [];
  const index = indexOfId(list, id);
  if (index < 0) return state;
  const next = withoutItem(list, index);
  countChanged(list, next, { removed: list[index] });
  return withInputNeeded(state, next);
}
