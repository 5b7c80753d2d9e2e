import type { SessionState, URI } from '@agenthost/protocol';
import type { Environment } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { chatLines, orderedChats } from './chat-list.ts';

/** What the chat list is for. */
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
