import type { URI } from '../common/types.ts';
import type { Message, MessageAttachment } from './message.ts';
import type { Turn } from './state.ts';

export interface ChatForkSource {
  chat: URI;
  turnId: string;
}

export interface CompletionItem {
  insertText: string;
  rangeStart?: number;
  rangeEnd?: number;
  attachment: MessageAttachment;
}

export type CompletionItemKind = 'userMessage';

export interface CompletionsParams {
  channel: URI;
  kind: CompletionItemKind;
  text: string;
  offset: number;
}

export interface CompletionsResult {
  items: CompletionItem[];
}

export interface CreateChatParams {
  channel: URI;
  chat: URI;
  initialMessage?: Message;
  source?: ChatForkSource;
}

export interface DisposeChatParams {
  channel: URI;
}

export interface FetchTurnsParams {
  channel: URI;
  cursor?: string;
  /** Turn id: answer with the turns older than it. With this or `limit` the page is in the result [CHAT-15]. */
  before?: string;
  /** Number of turns wanted in the result, counted back from `before` or from the newest [CHAT-15]. */
  limit?: number;
}

/** Empty when the turns go by `chat/turnsLoaded`; both fields when `before` or `limit` was given [CHAT-15]. */
export interface FetchTurnsResult {
  /** Oldest first. */
  turns?: Turn[];
  /** True when turns older than these exist. */
  hasMore?: boolean;
}
