import type { ErrorInfo, StringOrMarkdown, URI } from '../common/types.ts';
import type { SessionStatus } from '../session/status.ts';
import type { ChatInputRequest, ChatInputResponseKind } from './input-request.ts';
import type { Message } from './message.ts';
import type { ToolCallResponsePart } from './tool-call.ts';

export interface ActiveTurn {
  id: string;
  message: Message;
  responseParts: ResponsePart[];
  usage?: UsageInfo;
}

export type ChatInteractivity = 'full' | 'read-only' | 'hidden';

/** How a chat came to be [CHAT-2]. */
export type ChatOrigin = ChatUserOrigin | ChatForkOrigin | ChatToolOrigin;

/** A person made the chat, or it is its session's first. */
export interface ChatUserOrigin {
  kind: 'user';
}

/** Copied from another chat of the session up to and including a completed turn. */
export interface ChatForkOrigin {
  kind: 'fork';
  chat: URI;
  turnId: string;
}

/** A worker that a tool call of another chat spawned; that call's `subagent` block points back here. */
export interface ChatToolOrigin {
  kind: 'tool';
  chat: URI;
  toolCallId: string;
}

export interface ChatState {
  resource: URI;
  title: string;
  status: SessionStatus;
  activity?: string;
  modifiedAt: string;
  origin?: ChatOrigin;
  interactivity?: ChatInteractivity;
  workingDirectory?: URI;
  turns: Turn[];
  turnsNextCursor?: string;
  activeTurn?: ActiveTurn;
  steeringMessage?: PendingMessage;
  queuedMessages?: PendingMessage[];
  inputRequests?: ChatInputRequest[];
  draft?: Message;
  _meta?: Record<string, unknown>;
}

export interface ChatSummary {
  resource: URI;
  title: string;
  status: SessionStatus;
  activity?: string;
  modifiedAt: string;
  origin?: ChatOrigin;
  interactivity?: ChatInteractivity;
  workingDirectory?: URI;
}

export interface InputRequestResponsePart {
  kind: 'inputRequest';
  request: ChatInputRequest;
  response: ChatInputResponseKind;
}

export interface MarkdownResponsePart {
  kind: 'markdown';
  id: string;
  content: string;
}

export interface PendingMessage {
  id: string;
  message: Message;
}

export type PendingMessageKind = 'steering' | 'queued';

export interface ReasoningResponsePart {
  kind: 'reasoning';
  id: string;
  content: string;
}

export interface ResourceReponsePart {
  uri: URI;
  sizeHint?: number;
  contentType?: string;
  nonce?: string;
  kind: 'contentRef';
}

export type ResponsePart =
  | MarkdownResponsePart
  | ResourceReponsePart
  | ToolCallResponsePart
  | ReasoningResponsePart
  | SystemNotificationResponsePart
  | InputRequestResponsePart;

export interface SystemNotificationResponsePart {
  kind: 'systemNotification';
  content: StringOrMarkdown;
}

export interface Turn {
  id: string;
  message: Message;
  responseParts: ResponsePart[];
  usage?: UsageInfo;
  state: TurnState;
  error?: ErrorInfo;
}

export type TurnState = 'complete' | 'cancelled' | 'error';

export interface UsageInfo {
  inputTokens?: number;
  outputTokens?: number;
  model?: string;
  cacheReadTokens?: number;
  _meta?: Record<string, unknown>;
}
