export type { SubscriptionOptions } from './channel.ts';
export type { KindOf } from './channel-kind.ts';
export type { ChatHandle } from './chat.ts';
export type { AhpClient, RequestMethod } from './client.ts';
export type { Clock } from './clock.ts';
export { type ConnectOptions, connect, createClient } from './connect.ts';
export type { BackoffOptions } from './connection.ts';
export type { ConnectionState, ConnectionStateName } from './connection-state.ts';
export { ECHO_PATIENCE_MS } from './dispatcher.ts';
export {
  CannotConnect,
  ChannelLost,
  ClientClosed,
  ConnectionLost,
  ConsumerTooSlow,
  DispatchRejected,
  HandshakeFailed,
  type Refusal,
  Replaced,
  Unauthorized,
  UnexpectedState,
  UntrustedHost,
} from './errors.ts';
export type { HostInfo } from './handshake.ts';
export type { HostRequestHandler, NotificationMethod } from './host-messages.ts';
export type { AnswerInput, InputRequestHandle } from './input-request.ts';
export type { ReportError } from './listeners.ts';
export type { LivenessOptions } from './liveness.ts';
export type { MessageQueue } from './message-queue.ts';
export { type DispatchableAction, MAX_UNREAD_ACTIONS, type Mirror } from './mirror.ts';
export type { ClientBehavior, ClientOptions } from './options.ts';
export { type DispatchOutcome, MAX_PENDING_ACTIONS } from './pending.ts';
export { type Prompt, TurnGone } from './prompt.ts';
export { TERMINAL_MIRROR_LIMIT } from './scrollback.ts';
export type { ExportPart } from './session-export.ts';
export type { CreateSessionOptions, SessionHandle } from './session-handle.ts';
export type { ImportedTurn, ImportOptions, ImportSource } from './session-import.ts';
export type { Sessions } from './sessions.ts';
export {
  type ClaimTarget,
  type TerminalHandle,
  type TerminalHolder,
  type TerminalViewer,
} from './terminal.ts';
export { type ContentPlace, contentText } from './terminal-content.ts';
export type { CreateTerminalOptions, TerminalCatalogue } from './terminals.ts';
export type { Tokens } from './tokens.ts';
export { isSameQuestion } from './told-questions.ts';
export type { OfferedTool, ToolAnswer, ToolRun } from './tool-run.ts';
export type { OfferOptions, ToolOffer } from './tools.ts';
export {
  type ApproveOptions,
  type DenyOptions,
  type TurnControls,
  type TurnEvent,
  TurnReader,
} from './turn-stream.ts';
