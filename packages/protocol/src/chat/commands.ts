import type { BaseParams, Count, URI } from '../wire/basics.ts';
import type { Message, MessageAttachment } from './message.ts';
import type { SideChatSelection, Turn } from './state.ts';

/** `createChat`: `channel` is the session [CHAT-1]. */
export interface CreateChatParams extends BaseParams {
  /** URI of the new chat. */
  chat: URI;
  /** Starts the first turn. Absent: no turn starts. */
  initialMessage?: Message;
  /** Another chat that it starts from. Absent: it is empty, and its agent knows nothing yet. */
  source?: ChatSource;
  /**
   * Some of the session's directories, the primary one first; ignored in a fork [CHAT-38]. Absent: those of `source`, else the
   * session's.
   */
  workingDirectories?: URI[];
}

/** The chat that a new one starts from [CHAT-38]. */
export type ChatSource = ForkChatSource | SideChatSource;

/** The chat to copy, up to and including a completed turn. */
export interface ForkChatSource {
  kind: 'fork';
  chat: URI;
  turnId: string;
}

/**
 * The chat to ask about. The new chat has no turns of it, but its agent knows them up to and including one, as they are now [CHAT-39].
 */
export interface SideChatSource {
  kind: 'sideChat';
  chat: URI;
  /** A completed turn, or the active one. */
  turnId: string;
  /** The part of the conversation that the side chat is about. Absent: all of it. */
  selection?: SideChatSelection;
}

/** `disposeChat`: ends and removes the chat in `channel` [CHAT-1]. */
export interface DisposeChatParams extends BaseParams {}

/** `moveChat`: moves the chat in `channel` within its session, to another one or to a new one [SESS-29]. */
export interface MoveChatParams extends BaseParams {
  destination: ChatMoveDestination;
}

/** Where a chat is moved to. */
export type ChatMoveDestination = ChatMoveToSession | ChatMoveToNewSession;

/** To a place in the catalogue of a session, which may be its present one. */
export interface ChatMoveToSession {
  kind: 'session';
  session: URI;
  /** The chat of that session behind which it is put. Absent: to the front. */
  after?: URI;
}

/** To a new session, whose default chat it becomes. */
export interface ChatMoveToNewSession {
  kind: 'newSession';
}

/** The chat has been moved. */
export interface MoveChatResult {
  /** The session that it belongs to now. */
  session: URI;
}

/** `fetchTurns`: `channel` is the chat, or a session for its default chat [CHAT-15]. */
export interface FetchTurnsParams extends BaseParams {
  /**
   * `turnsNextCursor` of the state. Absent: the next older page of the caller's window. Unknown: `-32602`.
   */
  cursor?: string;
  /**
   * A turn id: the result has the turns before it. With this or `limit` the page is in the result [CHAT-15].
   */
  before?: string;
  /** Number of turns in the result, counted back from `before` or from the newest turn [CHAT-15]. */
  limit?: Count;
}

/**
 * Empty when the turns were sent as `chat/turnsLoaded`. Both fields are present when `before` or `limit` was
 * given [CHAT-15].
 */
export interface FetchTurnsResult {
  /** Oldest first. */
  turns?: Turn[];
  /** True when there are older turns. */
  hasMore?: boolean;
}

/** The kind of text that is being written. */
export type CompletionItemKind = 'userMessage';

/** `completions`: `channel` is the chat, or a session for its default chat [CHAT-15] [CHAT-16]. */
export interface CompletionsParams extends BaseParams {
  kind: CompletionItemKind;
  /** The whole text so far. */
  text: string;
  /** The cursor, in UTF-16 code units from 0 to the length of `text`. */
  offset: Count;
}

/** Completions, best first. */
export interface CompletionsResult {
  items: CompletionItem[];
}

/** One completion: text to insert, and the attachment that it stands for. */
export interface CompletionItem {
  insertText: string;
  /** First code unit to replace [CHAT-16]. Absent: inserted at the cursor. */
  rangeStart?: number;
  /** The code unit after the last one to replace [CHAT-16]. */
  rangeEnd?: number;
  attachment: MessageAttachment;
}
