import type { CanvasReference } from '../canvas/state.ts';
import type { Changeset, ChangesSummary } from '../changeset/state.ts';
import type { SessionStatus } from '../session/status.ts';
import type { ContentRef, ErrorInfo, StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';
import type { Author } from './author.ts';
import type { ChatInputRequest, ChatInputResponseKind } from './input-request.ts';
import type { Message } from './message.ts';
import type { ToolCallResponsePart } from './tool-call.ts';

/** A chat in the catalogue of its session [SESS-6]. */
export interface ChatSummary {
  resource: URI;
  title: string;
  /** The activity bits follow from the chat's state [CHAT-10]. `IsRead` and `IsArchived` are the chat's own [CHAT-42]. */
  status: SessionStatus;
  /** Present activity, for people. Absent: none. */
  activity?: string;
  /** ISO 8601 [CHAT-18]. */
  modifiedAt: string;
  /** Absent: unknown. */
  origin?: ChatOrigin;
  /** Absent: `full`. */
  interactivity?: ChatInteractivity;
  /** Size of the chat's changes [CHAT-44]. Absent: unknown. */
  changes?: ChangesSummary;
  /** Whether `moveChat` may move it [SESS-29]. Absent: false. */
  movable?: boolean;
  /** A part of the session's, the primary one first [SESS-23]. Absent: all of the session's. */
  workingDirectories?: URI[];
}

/** The state of a chat. */
export interface ChatState extends ChatSummary, WithMeta {
  /** Ended turns, oldest first; a window of the newest ones when there is a cursor [SUB-3]. */
  turns: Turn[];
  /** Cursor for older turns by `fetchTurns` [CHAT-15]. Absent: there are none. */
  turnsNextCursor?: string;
  /** Absent: idle. */
  activeTurn?: ActiveTurn;
  /** Message for the running turn [CHAT-12]. */
  steeringMessage?: PendingMessage;
  /** Messages that become turns, first in, first out [CHAT-12]. Never empty [CHAT-11]. */
  queuedMessages?: PendingMessage[];
  /** Unsent message, shared by all clients [CHAT-14]. */
  draft?: Message;
  /** Changesets of this chat, apart from those of the session [CHAT-43]. Absent: none are known. */
  changesets?: Changeset[];
  /** Work that runs outside of turns [CHAT-46]. Absent: none. */
  backgroundWork?: BackgroundWork[];
  /** Experimental [CHAT-47]. Absent: none. */
  canvases?: CanvasReference[];
}

/** Work that goes on while the chat may be idle [CHAT-46]. */
export type BackgroundWork = BackgroundShellWork | BackgroundSubagentWork;

/** Fields of all background work. */
export interface BackgroundWorkBase extends WithMeta {
  /** Unique in its chat. */
  id: string;
  label: string;
  /** ISO 8601. */
  startedAt: string;
}

/** A command in a shell. */
export interface BackgroundShellWork extends BackgroundWorkBase {
  kind: 'shell';
  command: string;
  /** Shows its output. Absent: the output is not shown. */
  terminal?: URI;
}

/** An agent in a chat of its own. */
export interface BackgroundSubagentWork extends BackgroundWorkBase {
  kind: 'subagent';
  chat: URI;
}

/** Whether people can write in a chat, only read it, or do not see it [CHAT-2]. */
export type ChatInteractivity = 'full' | 'read-only' | 'hidden';

/** How a chat was created [CHAT-2]. */
export type ChatOrigin = ChatUserOrigin | ChatForkOrigin | ChatSideChatOrigin | ChatToolOrigin;

/** Created by a person, or the first chat of its session. */
export interface ChatUserOrigin {
  kind: 'user';
}

/** A copy of another chat, up to and including a turn. */
export interface ChatForkOrigin {
  kind: 'fork';
  chat: URI;
  turnId: string;
}

/** A chat beside another one: its agent knows the other chat up to and including a turn [CHAT-39]. */
export interface ChatSideChatOrigin {
  kind: 'sideChat';
  chat: URI;
  turnId: string;
  /** The part of the other chat that it is about. Absent: all of it. */
  selection?: SideChatSelection;
}

/** A selected part of a conversation. */
export interface SideChatSelection {
  /** Not empty. */
  text: string;
  /** The part of the turn's response that contains the text. Absent: unknown. */
  responsePartId?: string;
}

/** A worker chat started by a tool call of another chat. The `subagent` block of that call refers to it. */
export interface ChatToolOrigin {
  kind: 'tool';
  chat: URI;
  toolCallId: string;
}

/** Fields of running and ended turns. */
export interface TurnBase {
  id: string;
  /** The message that started the turn. */
  message: Message;
  /** In the order in which they started. */
  responseParts: ResponsePart[];
  usage?: UsageInfo;
  /** Extension: who sent the message. */
  'x-by'?: Author;
}

/** The running turn. */
export interface ActiveTurn extends TurnBase {
  /** ISO 8601, by the clock of the client or host that started the turn [CHAT-20]. */
  startedAt: string;
}

/** An ended turn. */
export interface Turn extends TurnBase {
  /** With `error`, the last part is the error [CHAT-22]. */
  state: TurnState;
  /** ISO 8601. Absent: unknown. */
  startedAt?: string;
  /** Milliseconds from the first start to the end, at least 0. Absent: unknown. */
  duration?: number;
  /** Extension: who cancelled it. Absent: it was not cancelled, or not by a client. */
  'x-cancelledBy'?: Author;
}

/** How a turn ended [CHAT-5]. */
export type TurnState = 'complete' | 'cancelled' | 'error';

/** Tokens used by a turn. An absent count is unknown. */
export interface UsageInfo extends WithMeta {
  inputTokens?: number;
  outputTokens?: number;
  /** Id of the model that answered. */
  model?: string;
  /** Input tokens that were read from a cache. */
  cacheReadTokens?: number;
}

/** A waiting message. */
export interface PendingMessage {
  /** Chosen by the client that sets it. */
  id: string;
  message: Message;
  /** Extension: who set it last. */
  'x-by'?: Author;
}

/** For the running turn, or for a turn of its own [CHAT-11]. */
export type PendingMessageKind = 'steering' | 'queued';

/** A part of a turn's response. */
export type ResponsePart =
  | MarkdownResponsePart
  | ResourceReponsePart
  | ToolCallResponsePart
  | ReasoningResponsePart
  | SystemNotificationResponsePart
  | InputRequestResponsePart
  | ErrorResponsePart;

/** Text of the answer; extended by `chat/delta` [CHAT-4]. */
export interface MarkdownResponsePart {
  kind: 'markdown';
  /** Unique in the turn. */
  id: string;
  content: string;
}

/** Reasoning of the model; extended by `chat/reasoning` [CHAT-4]. */
export interface ReasoningResponsePart {
  kind: 'reasoning';
  /** Unique in the turn. */
  id: string;
  content: string;
}

/** Content stored outside of the state. The name is spelled as in the protocol's schema. */
export interface ResourceReponsePart extends ContentRef {
  kind: 'contentRef';
}

/**
 * A notice to agent and people from the program that runs the agent, for example that a worker has finished.
 */
export interface SystemNotificationResponsePart extends WithMeta {
  kind: 'systemNotification';
  content: StringOrMarkdown;
  /** The steering message that `content` reports: the agent has taken it into the turn [CHAT-12]. */
  'x-steering'?: PendingMessage;
}

/** An input request at its place in the turn [CHAT-27]. */
export interface InputRequestResponsePart {
  kind: 'inputRequest';
  /** With the present answers; those that the request was closed with, once it has a response. */
  request: ChatInputRequest;
  /** Absent: open while its turn is active, and never answered after the turn's end [CHAT-29]. */
  response?: ChatInputResponseKind;
  /** Extension: who closed it. */
  'x-answeredBy'?: Author;
}

/** The error that ended a turn, as its last part. A resumed turn keeps the part of its earlier end [CHAT-22]. */
export interface ErrorResponsePart {
  kind: 'error';
  error: ErrorInfo;
  /** True: `chat/turnResume` is possible while this is the last part of the last turn [CHAT-23]. Absent: false. */
  resumable?: boolean;
}
