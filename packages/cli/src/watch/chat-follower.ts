import {
  type ChatHandle,
  type SessionHandle,
  type TurnControls,
  type TurnEvent,
  TurnReader,
} from '@agenthost/client';
import type { ChatState, ChatSummary, TurnBase, URI } from '@agenthost/protocol';
import { errorSentence } from '../host-link/host-errors.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Listener of `ChatFollower`. */
export interface ChatListener {
  /** A turn begins, or is shown from the past. */
  began(turn: TurnBase): void;
  happened(event: TurnEvent, turn: TurnBase): void;
}

/** Reports the events of a chat, turn by turn. Reports each event once. */
export class ChatFollower {
  readonly #chat: ChatHandle;
  readonly #listener: ChatListener;
  readonly #told = new Set<string>();
  #isOver = false;
  #current: { readonly turn: TurnBase; readonly reader: TurnReader } | undefined;

  constructor(chat: ChatHandle, listener: ChatListener) {
    this.#chat = chat;
    this.#listener = listener;
  }

  /** Begins with what is there. The result ends it. */
  follow(): () => void {
    const { mirror } = this.#chat;
    const stops = [
      mirror.onAction((envelope) => this.#current?.reader.take(envelope)),
      mirror.onChange(() => this.#look(mirror.confirmed)),
    ];
    this.#look(mirror.confirmed);
    return () => {
      this.#isOver = true;
      for (const stop of stops) stop();
    };
  }

  #look(chat: ChatState): void {
    this.#read(chat);
    for (const turn of chat.turns) {
      if (this.#told.has(turn.id)) continue;
      this.#begin(turn);
      this.#read(chat);
    }
    const { activeTurn } = chat;
    if (activeTurn === undefined || this.#told.has(activeTurn.id)) return;
    this.#begin(activeTurn);
    this.#read(chat);
  }

  #begin(turn: TurnBase): void {
    this.#told.add(turn.id);
    const onNews = (): void => {
      if (!this.#isOver) this.#look(this.#chat.mirror.confirmed);
    };
    this.#current = { turn, reader: new TurnReader(turn.id, controlsOf(this.#chat), onNews) };
    this.#listener.began(turn);
  }

  #read(chat: ChatState): void {
    if (this.#current === undefined) return;
    const { turn, reader } = this.#current;
    const events = reader.read(chat);
    // Truncated away, or out of the window.
    if (events === 'missing') this.#current = undefined;
    else for (const event of events) this.#listener.happened(event, turn);
  }
}

const controlsOf = ({ approve, deny, confirmResult, respond }: ChatHandle): TurnControls => ({
  approve,
  deny,
  confirmResult,
  respond,
});

/** Whether a chat belongs to a tool call of an agent: people watch it and answer there [CHAT-2]. */
export const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';

/** Whether a chat works for this one, or for one that does. */
function worksFor(chat: ChatSummary, main: URI, chats: readonly ChatSummary[]): boolean {
  const { origin } = chat;
  if (origin?.kind !== 'tool') return false;
  const parent = chats.find(({ resource }) => resource === origin.chat);
  return origin.chat === main || (parent !== undefined && worksFor(parent, main, chats));
}

/** Tells what happens in the chats of workers of `main` that need somebody, from when they do. The result ends it. */
export function followAskingWorkers(
  { session, main }: { readonly session: SessionHandle; readonly main: URI },
  screen: Screen,
  happened: (event: TurnEvent, chat: ChatHandle) => void,
): () => void {
  const chats = new Map<URI, { handle?: ChatHandle; stop?: () => void }>();
  let isOver = false;
  const follow = async (uri: URI): Promise<void> => {
    const chat: { handle?: ChatHandle; stop?: () => void } = {};
    chats.set(uri, chat);
    const handle = await session.openChat(uri, { turns: 0 });
    if (isOver) return handle.dispose();
    chat.handle = handle;
    chat.stop = new ChatFollower(handle, {
      began: () => undefined,
      happened: (event) => happened(event, handle),
    }).follow();
  };
  const look = (): void => {
    const { chats: entries, inputNeeded = [] } = session.mirror.confirmed;
    for (const { chat: uri } of inputNeeded) {
      const entry = entries.find(({ resource }) => resource === uri);
      if (entry === undefined || !worksFor(entry, main, entries) || chats.has(uri)) continue;
      follow(uri).catch((error: unknown) => {
        // It may be gone again already; the next question tries again.
        chats.delete(uri);
        if (!isOver) screen.note(`cannot open a worker's chat: ${oneLine(errorSentence(error))}`);
      });
    }
  };
  const stop = session.mirror.onChange(look);
  look();
  return () => {
    isOver = true;
    stop();
    for (const chat of chats.values()) {
      chat.stop?.();
      chat.handle?.dispose();
    }
  };
}
