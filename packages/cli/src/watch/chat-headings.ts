import type { Mirror } from '@agenthost/client';
import type { Message, URI } from '@agenthost/protocol';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Longest chat name that is taken from a first message. */
const MAX_TITLE_LENGTH = 40;

/** A chat, as far as its name goes. */
export interface NamedChat {
  readonly mirror: Pick<Mirror<'chat'>, 'uri' | 'confirmed'>;
}

/** A session, as far as the names of its chats go. */
export interface NamingSession {
  readonly mirror: Pick<Mirror<'session'>, 'confirmed'>;
}

/** Names of the chats of a session, and headings between their events. */
export class ChatHeadings {
  readonly #screen: Screen;
  readonly #session: NamingSession;
  readonly #words = new Map<URI, string>();
  #shown: URI | undefined;

  constructor(screen: Screen, session: NamingSession) {
    this.#screen = screen;
    this.#session = session;
  }

  /** Its title [SESS-6], else the first words that were said in it, else its place among the chats. */
  nameOf({ mirror }: NamedChat): string {
    const { uri, confirmed } = mirror;
    const { chats } = this.#session.mirror.confirmed;
    const index = chats.findIndex(({ resource }) => resource === uri);
    const title = oneLine(chats[index]?.title || confirmed.title);
    if (title !== '') return title;
    if (!this.#words.has(uri) && confirmed.turnsNextCursor === undefined) {
      const text = (confirmed.turns[0] ?? confirmed.activeTurn)?.message.text ?? '';
      const words = oneLine(text, MAX_TITLE_LENGTH);
      if (words !== '') this.#words.set(uri, words);
    }
    return this.#words.get(uri) ?? `chat ${index + 1}`;
  }

  /** Prints a heading when the chat changes. */
  show(chat: NamedChat): void {
    const { uri } = chat.mirror;
    const isFirst = this.#shown === undefined;
    if (this.#shown === uri) return;
    this.#shown = uri;
    if (isFirst) return;
    this.#screen.note(this.#screen.colors.magenta(`-- ${this.nameOf(chat)} --`));
  }
}

/** Shows who said what, by the first line of it. */
export function showMessage(screen: Screen, { origin, text }: Message): void {
  const { colors } = screen;
  const who = origin.kind === 'user' ? 'you' : origin.kind;
  const [first = '', ...rest] = plain(text).split('\n');
  const more = rest.length === 0 ? '' : ` ... ${rest.length} more ${rest.length === 1 ? 'line' : 'lines'}`;
  screen.note(`\n${colors.bold(colors.blue(`${oneLine(who)}:`))} ${oneLine(first, 500)}${more}`);
}
