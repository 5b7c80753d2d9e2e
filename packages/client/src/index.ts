export { RequestAborted, RequestTimeout, RpcError } from '@agenthost/rpc';
export type { AhpClient, RequestMethod } from './client.ts';
export { type Clock, randomId } from './clock.ts';
export { type ConnectOptions, connect, createClient } from './connection/connect.ts';
export type { BackoffOptions } from './connection/connection.ts';
export type { ConnectionState, ConnectionStateName } from './connection/connection-state.ts';
export type { HostInfo } from './connection/handshake.ts';
export type { LivenessOptions } from './connection/heartbeat.ts';
export type { HostRequestHandler, NotificationMethod } from './connection/host-messages.ts';
export {
  CannotConnect,
  CannotEndWork,
  ChannelLost,
  ClientClosed,
  ConnectionLost,
  ConsumerTooSlow,
  DispatchRejected,
  HandshakeFailed,
  NoSuchChangeset,
  type Refusal,
  Replaced,
  Unauthorized,
  UnexpectedState,
  UntrustedHost,
  WatchEnded,
} from './errors.ts';
export type { AnnotationsHandle, NewAnnotation } from './handles/annotations-handle.ts';
export type { AutomationRunHandle } from './handles/automation-run-handle.ts';
export type {
  AutomationChanges,
  Automations,
  AutomationsPort,
  NewAutomation,
} from './handles/automations.ts';
export type { Changes, ChangesetChoice } from './handles/changes.ts';
export type {
  ChangesetHandle,
  CommitOptions,
  LineChoice,
  OperationInput,
} from './handles/changeset-handle.ts';
export type { ChatHandle } from './handles/chat-handle.ts';
export type { FileProvider, PublishedContent, PublishedFacts } from './handles/file-provider.ts';
export type { FileRange, StreamOptions } from './handles/file-ranges.ts';
export type { FileWatch, WatchedChanges, WatchOptions } from './handles/file-watch.ts';
export type { FileContent, Files, WriteOptions } from './handles/files.ts';
export type { ChatMatch, FindOptions } from './handles/find-in-chat.ts';
export { type Folder, type FolderEntry, inFolder } from './handles/folders.ts';
export type { Grants } from './handles/grants.ts';
export type { HostSpan } from './handles/host-span.ts';
export type { AnswerInput, InputRequestHandle } from './handles/input-request-handle.ts';
export type { McpServers } from './handles/mcp-servers.ts';
export type { MessageQueue } from './handles/message-queue.ts';
export { openAutomations } from './handles/open-automations.ts';
export { openMcpServers } from './handles/open-mcp-servers.ts';
export { openTelemetry } from './handles/open-telemetry.ts';
export type { TelemetryAttributes } from './handles/otlp-json.ts';
export type { PluginFolder } from './handles/plugin-files.ts';
export type { OwnPresence, Presence } from './handles/presence.ts';
export type { OpenedPreview } from './handles/previews.ts';
export { type Prompt, TurnGone } from './handles/prompt.ts';
export type { Push } from './handles/push.ts';
export { type FoldedText, foldText, searchedText } from './handles/searched-text.ts';
export type { CatalogueOptions, SessionCatalogue } from './handles/session-catalogue.ts';
export type { CreateSessionOptions, SessionHandle } from './handles/session-handle.ts';
export type { Sessions } from './handles/sessions.ts';
export type {
  HostLogRecord,
  LogSeverity,
  Telemetry,
  TelemetryPort,
} from './handles/telemetry.ts';
export { type ContentPlace, contentText } from './handles/terminal-content.ts';
export {
  type ClaimTarget,
  type TerminalHandle,
  type TerminalHolder,
  type TerminalViewer,
} from './handles/terminal-handle.ts';
export type { CreateTerminalOptions, TerminalCatalogue } from './handles/terminals.ts';
export type { Tokens } from './handles/tokens.ts';
export { isSameQuestion } from './handles/told-questions.ts';
export type { ApproveOptions, DenyOptions } from './handles/tool-answers.ts';
export type { ToolConfirmationHandle } from './handles/tool-confirmation-handle.ts';
export type { OfferedTool, ToolAnswer, ToolRun } from './handles/tool-run.ts';
export type { OfferOptions, ToolOffer } from './handles/tools.ts';
export { type TurnControls, type TurnEvent, TurnReader } from './handles/turn-reader.ts';
export type { Waterfall, WaterfallRow } from './handles/waterfall.ts';
export type { Worktrees } from './handles/worktrees.ts';
export type { ReportError } from './listeners.ts';
export {
  type ClientMemory,
  MAX_SAVED_ACTIONS,
  MAX_SAVED_AGE_MS,
  MAX_SAVED_LENGTH,
} from './mirror/action-store.ts';
export type { SubscriptionOptions } from './mirror/channel.ts';
export type { KindOf } from './mirror/channel-kind.ts';
export { ECHO_PATIENCE_MS, type RestoredAction } from './mirror/dispatcher.ts';
export { type DispatchableAction, MAX_UNREAD_ACTIONS, type Mirror } from './mirror/mirror.ts';
export { type DispatchOutcome, MAX_PENDING_ACTIONS } from './mirror/pending-actions.ts';
export { TERMINAL_MIRROR_LIMIT } from './mirror/scrollback.ts';
export type { ClientBehavior, ClientOptions } from './options.ts';
export type { ImportedTurn, ImportSource } from './transfer/import-source.ts';
export { presentSource } from './transfer/present-source.ts';
export type { ExportPart } from './transfer/session-export.ts';
export type { ImportOptions } from './transfer/session-import.ts';
