import type { SessionStatus } from '../session/status.ts';
import type { ContentRef, ErrorInfo, StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';
import type { ChatInputRequest, ChatInputResponseKind } from './input-request.ts';
import type { Message } from './message.ts';
import type { ToolCallResponsePart } from './tool-call.ts';

/** A chat as the catalogue of its session shows it [SESS-6]. */
export interface ChatSummary {
  resource: URI;
  title: string;
  /** Its activity bits follow from what is open in the chat [CHAT-10]. */
  status: SessionStatus;
  /** What it does just now, for people. Absent: nothing to tell. */
  activity?: string;
  /** ISO 8601 [CHAT-18]. */
  modifiedAt: string;
  /** Absent: not known. */
  origin?: ChatOrigin;
  /** Absent: `full`. */
  interactivity?: ChatInteractivity;
  /** Absent: the session's. */
  workingDirectory?: URI;
}

/** A chat as its subscribers see it. */
export interface ChatState extends ChatSummary, WithMeta {
  /** Those that ended, oldest first; a window of the newest when there is a cursor [SUB-3]. */
  turns: Turn[];
  /** Asks for older turns by `fetchTurns` [CHAT-15]. Absent: there are none. */
  turnsNextCursor?: string;
  /** Absent: idle. */
  activeTurn?: ActiveTurn;
  /** Meant for the running turn [CHAT-12]. */
  steeringMessage?: PendingMessage;
  /** Turns to come, first in, first out [CHAT-12]. Never empty [CHAT-11]. */
  queuedMessages?: PendingMessage[];
  /** Open questions to people [CHAT-13]. Never empty. */
  inputRequests?: ChatInputRequest[];
  /** What somebody is writing, on whichever client [CHAT-14]. */
  draft?: Message;
}

/** What people may do with a chat: talk, look on, or not even see it [CHAT-2]. */
export type ChatInteractivity = 'full' | 'read-only' | 'hidden';

/** How a chat came to be [CHAT-2]. */
export type ChatOrigin = ChatUserOrigin | ChatForkOrigin | ChatToolOrigin;

/** A person made it, or it is its session's first. */
export interface ChatUserOrigin {
  kind: 'user';
}

/** A copy of another chat, up to and including that turn. */
export interface ChatForkOrigin {
  kind: 'fork';
  chat: URI;
  turnId: string;
}

/** A worker that a tool call of another chat started; that call's `subagent` block names it in return. */
export interface ChatToolOrigin {
  kind: 'tool';
  chat: URI;
  toolCallId: string;
}

/** What a turn has while it runs and for ever after. */
export interface TurnBase {
  id: string;
  /** What started it. */
  message: Message;
  /** In the order in which they began. */
  responseParts: ResponsePart[];
  usage?: UsageInfo;
}

/** The turn that is running. */
export interface ActiveTurn extends TurnBase {}

/** A turn that has ended. */
export interface Turn extends TurnBase {
  state: TurnState;
  /** Only with state `error`. */
  error?: ErrorInfo;
}

/** How a turn ended [CHAT-5]. */
export type TurnState = 'complete' | 'cancelled' | 'error';

/** Tokens that a turn took. An absent count is not known. */
export interface UsageInfo extends WithMeta {
  inputTokens?: number;
  outputTokens?: number;
  /** Id of the model that answered. */
  model?: string;
  /** Part of the input that came out of a cache. */
  cacheReadTokens?: number;
}

/** A message that waits. */
export interface PendingMessage {
  /** Given by whoever sets it. */
  id: string;
  message: Message;
}

/** For the running turn, or for a turn of its own [CHAT-11]. */
export type PendingMessageKind = 'steering' | 'queued';

/** A piece of what a turn brought forth. */
export type ResponsePart =
  | MarkdownResponsePart
  | ResourceReponsePart
  | ToolCallResponsePart
  | ReasoningResponsePart
  | SystemNotificationResponsePart
  | InputRequestResponsePart;

/** Text of the answer; grows by `chat/delta` [CHAT-4]. */
export interface MarkdownResponsePart {
  kind: 'markdown';
  /** Unique in the turn. */
  id: string;
  content: string;
}

/** The model's thinking; grows by `chat/reasoning` [CHAT-4]. */
export interface ReasoningResponsePart {
  kind: 'reasoning';
  /** Unique in the turn. */
  id: string;
  content: string;
}

/** Content kept outside of state. The name is spelled as in the protocol's own schema. */
export interface ResourceReponsePart extends ContentRef {
  kind: 'contentRef';
}

/** Told to agent and people alike by what runs the agent: a worker has finished, for instance. */
export interface SystemNotificationResponsePart {
  kind: 'systemNotification';
  content: StringOrMarkdown;
  /** The steering message that `content` tells of: the agent has taken it into the turn [CHAT-12]. */
  'x-steering'?: PendingMessage;
}

/** A question and how it was answered [CHAT-13]. Since 0.5.2 [CONN-9]. */
export interface InputRequestResponsePart {
  kind: 'inputRequest';
  /** With its final answers. */
  request: ChatInputRequest;
  response: ChatInputResponseKind;
}
