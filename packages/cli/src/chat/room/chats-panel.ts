import type { ChatSummary, SessionState, URI } from '@agenthost/protocol';
import { cutToCells, oneLine } from '../../render/plain-text.ts';
import { ago, statusWord } from '../../render/session-line.ts';
import type { Environment } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';

/** Actions of the chat list. */
export interface ChatsActions {
  open(chat: URI): void;
  create(): void;
  remove(chat: URI): void;
  close(): void;
}

/** Changes between the chats of a session. */
export class ChatsPanel implements OverlayPanel {
  readonly context: KeyContext = 'chats';
  readonly title = 'Chats of this session';
  readonly #env: Environment;
  readonly #session: () => SessionState;
  readonly #current: URI;
  readonly #actions: ChatsActions;
  #selected: URI;

  constructor(env: Environment, session: () => SessionState, current: URI, actions: ChatsActions) {
    this.#env = env;
    this.#session = session;
    this.#current = current;
    this.#selected = current;
    this.#actions = actions;
  }

  conditions(): readonly string[] {
    return this.#session().chats.length > 1 ? ['canRemove'] : [];
  }

  lines(width: number): OverlayLines {
    const { chats, defaultChat } = this.#session();
    const lines = chatLines(chats, {
      width,
      selected: this.#selected,
      current: this.#current,
      defaultChat,
      now: this.#env.now(),
    });
    const at = orderedChats(chats).findIndex(({ chat }) => chat.resource === this.#selected);
    return { lines, focus: Math.max(0, at) };
  }

  run(command: string): void {
    const chats = orderedChats(this.#session().chats).map(({ chat }) => chat.resource);
    const at = Math.max(0, chats.indexOf(this.#selected));
    switch (command) {
      case 'up':
      case 'down':
        this.#selected =
          chats[Math.max(0, Math.min(chats.length - 1, at + (command === 'up' ? -1 : 1)))] ?? this.#selected;
        return;
      case 'open':
        return this.#actions.open(chats[at] ?? this.#current);
      case 'new':
        return this.#actions.create();
      case 'remove':
        return this.#actions.remove(chats[at] ?? this.#current);
      case 'back':
        return this.#actions.close();
      default:
    }
  }
}

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

/** Display name of a chat. */
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
