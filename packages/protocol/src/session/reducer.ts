import type { StateAction } from '../wire/envelope.ts';
import { patch } from '../wire/patch.ts';
import type { SessionAction } from './actions.ts';
import { removeChat, updateChat, upsertChat } from './reducer-catalogue.ts';
import { removeActiveClient, setActiveClient } from './reducer-clients.ts';
import {
  removeCustomization,
  setMcpServer,
  toggleCustomization,
  upsertCustomization,
} from './reducer-customizations.ts';
import { removeInputNeeded, setInputNeeded } from './reducer-input-needed.ts';
import { withFlag } from './reducer-status.ts';
import type { SessionState } from './state.ts';
import { SessionStatus } from './status.ts';

/**
 * Reduces one action of a session channel [SESS-4], [SESS-6]…[SESS-10], [CUST-1], [MCP-1]. Returns `state`
 * itself when nothing changes. Does not aggregate over chats; see `aggregateSession`.
 */
export function sessionReducer(state: SessionState, action: StateAction, _now: number): SessionState {
  switch (action.type) {
    case 'session/ready':
      return patch(state, { lifecycle: 'ready' });
    case 'session/creationFailed':
      return patch(state, { lifecycle: 'creationFailed', creationError: action.error });
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
    case 'session/mcpServerStateChanged':
      return setMcpServer(state, action.id, action.state, action.channel);
    case 'session/mcpServerStartRequested':
      return setMcpServer(state, action.id, { kind: 'starting' });
    case 'session/mcpServerStopRequested':
      return setMcpServer(state, action.id, { kind: 'stopped' });
    default:
      action satisfies Exclude<StateAction, SessionAction>;
      return state;
  }
}
