import type { ChatSummary, URI } from '@agenthost/protocol';
import { cutToCells } from '../../render/cells.ts';
import { oneLine } from '../../render/plain-text.ts';
import { ago, statusWord } from '../../render/session-line.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';

/** The chats that people see, worker chats below the chat whose call started them. */
export function orderedChats(
  chats: readonly ChatSummary[],
): { readonly chat: ChatSummary; readonly depth: number }[] {
  const shown = chats.filter(({ interactivity }) => interactivity !== 'hidden');
  const parentOf = ({ origin }: ChatSummary): URI | undefined =>
    origin?.kind === 'tool' ? origin.chat : undefined;
  const roots = shown.filter((chat) => !shown.some(({ resource }) => resource === parentOf(chat)));
  const below = (chat: ChatSummary, depth: number): { chat: ChatSummary; depth: number }[] => [
    { chat, depth },
    ...(depth > 8
      ? []
      : shown
          .filter((other) => parentOf(other) === chat.resource)
          .flatMap((other) => below(other, depth + 1))),
  ];
  return roots.flatMap((chat) => below(chat, 0));
}

/** What a chat is called. */
export const chatTitle = (chat: ChatSummary, index: number): string =>
  oneLine(chat.title) || `Chat ${index + 1}`;

/** The chats of a session as lines. */
export function chatLines(
  chats: readonly ChatSummary[],
  options: { width: number; selected: URI; current: URI; defaultChat: URI | undefined; now: number },
): Line[] {
  const { width, selected, current, defaultChat, now } = options;
  return orderedChats(chats).map(({ chat, depth }, index): Line => {
    const isAt = chat.resource === selected;
    const title = `${'  '.repeat(depth)}${chatTitle(chat, index)}`;
    const notes = [
      chat.resource === current ? 'open' : '',
      chat.resource === defaultChat ? 'default' : '',
      chat.interactivity === 'read-only' ? 'read-only' : '',
      chat.origin?.kind === 'fork' ? 'fork' : '',
    ].filter((note) => note !== '');
    const word = statusWord(chat.status);
    const right: Line = [
      span(notes.join(', '), { dim: true }),
      span(notes.length === 0 ? '' : '  '),
      span(word, word === 'asks' ? { color: 'yellow' } : word === 'error' ? { color: 'red' } : { dim: true }),
      span(`  ${ago(chat.modifiedAt, now).padStart(6)}`, { dim: true }),
    ];
    const mark = isAt ? '▸ ' : '  ';
    return justified(
      [span(mark), ...line(cutToCells(title, width), isAt ? { inverse: true } : {})],
      right,
      width,
    );
  });
}
