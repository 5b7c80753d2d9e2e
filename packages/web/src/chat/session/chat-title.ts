import type { ChatSummary } from '@agenthost/protocol';
import { text } from '../../text/text.ts';

/** Title of a chat, or a word for its kind. */
export function chatTitle({ title, origin }: ChatSummary, isMain: boolean): string {
  if (title !== '') return title;
  if (isMain) return text.chat.mainChat;
  switch (origin?.kind) {
    case 'fork':
      return text.chat.forkTab;
    case 'sideChat':
      return text.chat.sideTab;
    case 'tool':
      return text.chat.workerTab;
    case 'user':
    case undefined:
      return text.chat.unnamedChat;
    default:
      return origin satisfies never;
  }
}
