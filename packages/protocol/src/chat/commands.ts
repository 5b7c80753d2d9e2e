import type { BaseParams, Count, URI } from '../wire/basics.ts';
import type { Message, MessageAttachment } from './message.ts';
import type { Turn } from './state.ts';

/** `createChat`: `channel` is the session [CHAT-1]. */
export interface CreateChatParams extends BaseParams {
  /** URI of the new chat. */
  chat: URI;
  /** Starts its first turn. Absent: it waits. */
  initialMessage?: Message;
  /** Starts as a copy. Absent: empty. */
  source?: ChatForkSource;
  /** An extension of ours: a `file:` URI, checked as a session's [SESS-1]. Absent: that of `source`, else the session's [SESS-6]. */
  'x-workingDirectory'?: URI;
}

/** What a new chat is a copy of, up to and including that turn. */
export interface ChatForkSource {
  chat: URI;
  turnId: string;
}

/** `disposeChat`: ends and removes the chat in `channel` [CHAT-1]. */
export interface DisposeChatParams extends BaseParams {}

/** `fetchTurns`: `channel` is the chat, or a session for its default chat [CHAT-15]. */
export interface FetchTurnsParams extends BaseParams {
  /** `turnsNextCursor` of the state. Absent: the next older page of the caller's window; unknown: `-32602`. */
  cursor?: string;
  /** Turn id: answer with the turns older than it. With this or `limit` the page is in the result [CHAT-15]. */
  before?: string;
  /** Number of turns wanted in the result, counted back from `before` or from the newest [CHAT-15]. */
  limit?: Count;
}

/** Empty when the turns went by `chat/turnsLoaded`; both fields when `before` or `limit` was given [CHAT-15]. */
export interface FetchTurnsResult {
  /** Oldest first. */
  turns?: Turn[];
  /** True when there are older ones still. */
  hasMore?: boolean;
}

/** What is being written. */
export type CompletionItemKind = 'userMessage';

/** `completions`: `channel` is the chat, or a session for its default chat [CHAT-15] [CHAT-16]. */
export interface CompletionsParams extends BaseParams {
  kind: CompletionItemKind;
  /** All of it so far. */
  text: string;
  /** The cursor, in UTF-16 code units from 0 to the length of `text`. */
  offset: Count;
}

/** Proposals, the best first. */
export interface CompletionsResult {
  items: CompletionItem[];
}

/** One proposal: some text, and the attachment that it stands for. */
export interface CompletionItem {
  insertText: string;
  /** First code unit to replace [CHAT-16]. Absent: inserted at the cursor. */
  rangeStart?: number;
  /** First code unit behind those to replace [CHAT-16]. */
  rangeEnd?: number;
  attachment: MessageAttachment;
}
