import { type ChatHandle, type TurnControls, type TurnEvent, TurnReader } from '@agenthost/client';
import type { ChatState, TurnBase } from '@agenthost/protocol';

/** Who hears what happens in a chat. */
export interface ChatListener {
  /** A turn begins, or is shown from the past. */
  began(turn: TurnBase): void;
  happened(event: TurnEvent, turn: TurnBase): void;
}

/** Tells what happens in a chat, turn by turn, whoever started them; what it has told it never tells again. */
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
