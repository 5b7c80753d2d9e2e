import type { Changeset } from '../changeset/state.ts';
import type { ChatInteractivity, ChatOrigin, ChatSummary } from '../chat/state.ts';
import type { ErrorInfo, URI } from '../common/types.ts';
import type { McpServerState } from '../mcp/state.ts';
import type { Customization } from './customization.ts';
import type { SessionActiveClient, SessionInputRequest, ToolDefinition } from './state.ts';
import type { SessionStatus } from './status.ts';

/** Every action of a session channel. */
export type SessionAction =
  | SessionActiveClientRemovedAction
  | SessionActiveClientSetAction
  | SessionActivityChangedAction
  | SessionChangesetsChangedAction
  | SessionChatAddedAction
  | SessionChatRemovedAction
  | SessionChatUpdatedAction
  | SessionConfigChangedAction
  | SessionCreationFailedAction
  | SessionCustomizationRemovedAction
  | SessionCustomizationToggledAction
  | SessionCustomizationUpdatedAction
  | SessionCustomizationsChangedAction
  | SessionDefaultChatChangedAction
  | SessionInputNeededRemovedAction
  | SessionInputNeededSetAction
  | SessionIsArchivedChangedAction
  | SessionIsReadChangedAction
  | SessionMcpServerStartRequestedAction
  | SessionMcpServerStateChangedAction
  | SessionMcpServerStopRequestedAction
  | SessionMetaChangedAction
  | SessionReadyAction
  | SessionServerToolsChangedAction
  | SessionTitleChangedAction;

export interface SessionActiveClientRemovedAction {
  type: 'session/activeClientRemoved';
  clientId: string;
}

export interface SessionActiveClientSetAction {
  type: 'session/activeClientSet';
  activeClient: SessionActiveClient;
}

export interface SessionActivityChangedAction {
  type: 'session/activityChanged';
  activity?: string;
}

export interface SessionChangesetsChangedAction {
  type: 'session/changesetsChanged';
  changesets?: Changeset[];
}

export interface SessionChatAddedAction {
  type: 'session/chatAdded';
  summary: ChatSummary;
}

export interface SessionChatRemovedAction {
  type: 'session/chatRemoved';
  chat: URI;
}

export interface SessionChatUpdatedAction {
  type: 'session/chatUpdated';
  chat: URI;
  changes: {
    resource?: URI;
    title?: string;
    status?: SessionStatus;
    activity?: string;
    modifiedAt?: string;
    origin?: ChatOrigin;
    interactivity?: ChatInteractivity;
    workingDirectory?: URI;
  };
}

export interface SessionConfigChangedAction {
  type: 'session/configChanged';
  config: Record<string, unknown>;
  replace?: boolean;
}

export interface SessionCreationFailedAction {
  type: 'session/creationFailed';
  error: ErrorInfo;
}

export interface SessionCustomizationRemovedAction {
  type: 'session/customizationRemoved';
  id: string;
}

export interface SessionCustomizationToggledAction {
  type: 'session/customizationToggled';
  id: string;
  enabled: boolean;
}

export interface SessionCustomizationUpdatedAction {
  type: 'session/customizationUpdated';
  customization: Customization;
}

export interface SessionCustomizationsChangedAction {
  type: 'session/customizationsChanged';
  customizations: Customization[];
}

export interface SessionDefaultChatChangedAction {
  type: 'session/defaultChatChanged';
  defaultChat?: URI;
}

export interface SessionInputNeededRemovedAction {
  type: 'session/inputNeededRemoved';
  id: string;
}

export interface SessionInputNeededSetAction {
  type: 'session/inputNeededSet';
  request: SessionInputRequest;
}

export interface SessionIsArchivedChangedAction {
  type: 'session/isArchivedChanged';
  isArchived: boolean;
}

export interface SessionIsReadChangedAction {
  type: 'session/isReadChanged';
  isRead: boolean;
}

export interface SessionMcpServerStartRequestedAction {
  type: 'session/mcpServerStartRequested';
  id: string;
}

export interface SessionMcpServerStateChangedAction {
  type: 'session/mcpServerStateChanged';
  id: string;
  state: McpServerState;
  channel?: URI;
}

export interface SessionMcpServerStopRequestedAction {
  type: 'session/mcpServerStopRequested';
  id: string;
}

export interface SessionMetaChangedAction {
  type: 'session/metaChanged';
  _meta?: Record<string, unknown>;
}

export interface SessionReadyAction {
  type: 'session/ready';
}

export interface SessionServerToolsChangedAction {
  type: 'session/serverToolsChanged';
  tools: ToolDefinition[];
}

export interface SessionTitleChangedAction {
  type: 'session/titleChanged';
  title: string;
}
