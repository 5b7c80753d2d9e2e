import type { URI } from '../common/types.ts';
import type { Message, MessageAttachment } from './message.ts';

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
}

export type FetchTurnsResult = Record<string, unknown>;
