import type { Changeset } from '../changeset/state.ts';
import type { ChatSummary } from '../chat/state.ts';
import type { McpServerState } from '../mcp/state.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { Customization } from './customization.ts';
import type { SessionInputRequest } from './input-needed.ts';
import type { SessionActiveClient, ToolDefinition } from './state.ts';

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

/** A client takes its tools away, or is gone for too long [SESS-8]. */
export interface SessionActiveClientRemovedAction {
  type: 'session/activeClientRemoved';
  clientId: string;
}

/** A client joins, or replaces what it offers, tools and plugins alike [SESS-8]. */
export interface SessionActiveClientSetAction {
  type: 'session/activeClientSet';
  activeClient: SessionActiveClient;
}

/** What the session does just now [SESS-5]. */
export interface SessionActivityChangedAction {
  type: 'session/activityChanged';
  /** Absent: nothing to tell any more. */
  activity?: string;
}

/** Replaces the catalogue of changesets [SESS-10]. */
export interface SessionChangesetsChangedAction {
  type: 'session/changesetsChanged';
  /** Absent: there is none any more. */
  changesets?: Changeset[];
}

/** Adds a chat to the catalogue, or replaces the entry with its URI [SESS-6]. */
export interface SessionChatAddedAction {
  type: 'session/chatAdded';
  summary: ChatSummary;
}

/** Takes a chat out of the catalogue, and out of `defaultChat` [SESS-6]. */
export interface SessionChatRemovedAction {
  type: 'session/chatRemoved';
  chat: URI;
}

/** Changes fields of a catalogue entry; unknown: no change [SESS-6]. */
export interface SessionChatUpdatedAction {
  type: 'session/chatUpdated';
  chat: URI;
  changes: ChatSummaryChanges;
}

/** The fields that changed; absent ones did not, and a `resource` is ignored [SESS-6]. */
export type ChatSummaryChanges = Partial<ChatSummary>;

/** Merges into the configuration values, or replaces them [SESS-9]. */
export interface SessionConfigChangedAction {
  type: 'session/configChanged';
  config: Record<string, unknown>;
  /** True: `config` is all there is afterwards. Absent: merged by property name. */
  replace?: boolean;
}

/** The agent could not be had [SESS-2]. */
export interface SessionCreationFailedAction {
  type: 'session/creationFailed';
  error: ErrorInfo;
}

/** Removes a customization, wherever it stands, with its children [CUST-1]. */
export interface SessionCustomizationRemovedAction {
  type: 'session/customizationRemoved';
  id: string;
}

/** Turns a customization on or off, wherever it stands [CUST-1]. */
export interface SessionCustomizationToggledAction {
  type: 'session/customizationToggled';
  id: string;
  enabled: boolean;
}

/** Adds a top-level customization, or replaces the one with its id, children included [CUST-1]. */
export interface SessionCustomizationUpdatedAction {
  type: 'session/customizationUpdated';
  customization: Customization;
}

/** Replaces all customizations. */
export interface SessionCustomizationsChangedAction {
  type: 'session/customizationsChanged';
  customizations: Customization[];
}

/** Where input goes from now on that names no chat. The host's alone [ACT-3]. */
export interface SessionDefaultChatChangedAction {
  type: 'session/defaultChatChanged';
  /** Absent: nowhere. */
  defaultChat?: URI;
}

/** A chat no longer waits; unknown: no change [SESS-7]. */
export interface SessionInputNeededRemovedAction {
  type: 'session/inputNeededRemoved';
  id: string;
}

/** A chat waits for something, or for something else under the same id [SESS-7]. */
export interface SessionInputNeededSetAction {
  type: 'session/inputNeededSet';
  request: SessionInputRequest;
}

/** Sets or clears the bit `IsArchived`. */
export interface SessionIsArchivedChangedAction {
  type: 'session/isArchivedChanged';
  isArchived: boolean;
}

/** Sets or clears the bit `IsRead`. */
export interface SessionIsReadChangedAction {
  type: 'session/isReadChanged';
  isRead: boolean;
}

/** Somebody wants this MCP server to start, or to start again [MCP-1]. */
export interface SessionMcpServerStartRequestedAction {
  type: 'session/mcpServerStartRequested';
  id: string;
}

/** Replaces state and channel of an MCP server, wherever it stands [MCP-1]. */
export interface SessionMcpServerStateChangedAction {
  type: 'session/mcpServerStateChanged';
  id: string;
  state: McpServerState;
  /** Absent: closed. */
  channel?: URI;
}

/** Somebody wants this MCP server to stop [MCP-1]. */
export interface SessionMcpServerStopRequestedAction {
  type: 'session/mcpServerStopRequested';
  id: string;
}

/** Replaces `_meta` as a whole; absent: none any more [SESS-10]. */
export interface SessionMetaChangedAction extends WithMeta {
  type: 'session/metaChanged';
}

/** The agent is there; says nothing about `status` [SESS-4]. */
export interface SessionReadyAction {
  type: 'session/ready';
}

/** Replaces the host's tools [SESS-10]. */
export interface SessionServerToolsChangedAction {
  type: 'session/serverToolsChanged';
  tools: ToolDefinition[];
}

/** A new title, from a person or from the host [SESS-11]. */
export interface SessionTitleChangedAction {
  type: 'session/titleChanged';
  title: string;
}
