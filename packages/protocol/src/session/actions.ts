import type { Changeset } from '../changeset/state.ts';
import type { ChatSummary } from '../chat/state.ts';
import type { McpServerState } from '../mcp/state.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { Customization } from './customization.ts';
import type { CustomizationEnablement } from './customization-base.ts';
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
  | SessionChatsReorderedAction
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
  | SessionMcpServerBackgroundRequestedAction
  | SessionMcpServerStartRequestedAction
  | SessionMcpServerStateChangedAction
  | SessionMcpServerStopRequestedAction
  | SessionMetaChangedAction
  | SessionReadyAction
  | SessionServerToolsChangedAction
  | SessionTitleChangedAction
  | SessionWorkingDirectoryRemovedAction
  | SessionWorkingDirectoryReplacedAction
  | SessionWorkingDirectorySetAction;

/** A client withdraws its tools, or was away for too long [SESS-8]. */
export interface SessionActiveClientRemovedAction {
  type: 'session/activeClientRemoved';
  clientId: string;
}

/** A client joins, or replaces its tools and plugins [SESS-8]. */
export interface SessionActiveClientSetAction {
  type: 'session/activeClientSet';
  activeClient: SessionActiveClient;
}

/** Changes the description of the present activity [SESS-5]. */
export interface SessionActivityChangedAction {
  type: 'session/activityChanged';
  /** Absent: none. */
  activity?: string;
}

/** Replaces the catalogue of changesets [SESS-10]. */
export interface SessionChangesetsChangedAction {
  type: 'session/changesetsChanged';
  /** Absent: none. */
  changesets?: Changeset[];
}

/** Adds a chat to the catalogue, or replaces the entry with its URI [SESS-6]. */
export interface SessionChatAddedAction {
  type: 'session/chatAdded';
  summary: ChatSummary;
}

/** Removes a chat from the catalogue and from `defaultChat` [SESS-6]. */
export interface SessionChatRemovedAction {
  type: 'session/chatRemoved';
  chat: URI;
}

/** Changes fields of a catalogue entry. An unknown chat changes nothing [SESS-6]. */
export interface SessionChatUpdatedAction {
  type: 'session/chatUpdated';
  chat: URI;
  changes: ChatSummaryChanges;
}

/** Reorders the catalogue. Without effect unless it names every chat exactly once [SESS-27]. */
export interface SessionChatsReorderedAction {
  type: 'session/chatsReordered';
  chats: URI[];
}

/** The changed fields; `resource` is ignored [SESS-6]. */
export type ChatSummaryChanges = Partial<ChatSummary>;

/** Merges values into the configuration, or replaces them [SESS-9]. */
export interface SessionConfigChangedAction {
  type: 'session/configChanged';
  config: Record<string, unknown>;
  /** True: `config` replaces all values. Absent: merged by property name. */
  replace?: boolean;
}

/** The agent could not be started [SESS-2]. */
export interface SessionCreationFailedAction {
  type: 'session/creationFailed';
  error: ErrorInfo;
}

/** Removes a customization at any level, with its children [CUST-1]. */
export interface SessionCustomizationRemovedAction {
  type: 'session/customizationRemoved';
  id: string;
}

/** Replaces the decisions about a customization at any level [CUST-21]. */
export interface SessionCustomizationToggledAction {
  type: 'session/customizationToggled';
  id: string;
  /** All decisions that are to remain. For a directory, or a child that is no MCP server, the first one counts; empty: enabled. */
  enablement: CustomizationEnablement[];
}

/** Adds a top-level customization, or replaces the one with the same id, including its children [CUST-1]. */
export interface SessionCustomizationUpdatedAction {
  type: 'session/customizationUpdated';
  customization: Customization;
}

/** Replaces all customizations. */
export interface SessionCustomizationsChangedAction {
  type: 'session/customizationsChanged';
  customizations: Customization[];
}

/** Changes the chat for input that names no chat. Dispatched by the host only [ACT-3]. */
export interface SessionDefaultChatChangedAction {
  type: 'session/defaultChatChanged';
  /** Absent: none. */
  defaultChat?: URI;
}

/** A chat no longer waits. An unknown id changes nothing [SESS-7]. */
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

/** Asks not to hold messages until a starting MCP server is ready. Changes a blocking start only [MCP-21]. */
export interface SessionMcpServerBackgroundRequestedAction {
  type: 'session/mcpServerBackgroundRequested';
  id: string;
}

/** Asks to start or restart an MCP server [MCP-1]. */
export interface SessionMcpServerStartRequestedAction {
  type: 'session/mcpServerStartRequested';
  id: string;
}

/** Replaces state and channel of an MCP server at any level [MCP-1]. */
export interface SessionMcpServerStateChangedAction {
  type: 'session/mcpServerStateChanged';
  id: string;
  state: McpServerState;
  /** Absent: closed. */
  channel?: URI;
}

/** Asks to stop an MCP server [MCP-1]. */
export interface SessionMcpServerStopRequestedAction {
  type: 'session/mcpServerStopRequested';
  id: string;
}

/** Replaces `_meta` as a whole. Absent: none [SESS-10]. */
export interface SessionMetaChangedAction extends WithMeta {
  type: 'session/metaChanged';
}

/** The agent has started; `status` does not change [SESS-4]. */
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
  /** Extension: the chat that gets the title; the session gets it too if that is the default chat. Absent: the session alone. */
  'x-chat'?: URI;
}

/** Removes a working directory. One that is not in the list changes nothing [SESS-21]. */
export interface SessionWorkingDirectoryRemovedAction {
  type: 'session/workingDirectoryRemoved';
  directory: URI;
}

/** Puts another directory in the place of one. A `directory` that is not in the list changes nothing [SESS-22]. */
export interface SessionWorkingDirectoryReplacedAction {
  type: 'session/workingDirectoryReplaced';
  directory: URI;
  /** If it stands before `directory`, only `directory` is removed; if it stands after it, it moves. */
  replacement: URI;
}

/** Appends a working directory, unless it is in the list [SESS-21]. */
export interface SessionWorkingDirectorySetAction {
  type: 'session/workingDirectorySet';
  directory: URI;
}
