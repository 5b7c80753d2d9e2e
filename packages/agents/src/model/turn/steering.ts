import type { Message } from '@agenthost/protocol';

/** Steering messages of a running turn. The model gets them with its next call. */
export class TurnSteering {
  readonly #messages: Message[] = [];
  #isOpen = true;

  /** Takes a message. Returns false when the model will not be called again in this turn. */
  take(message: Message): boolean {
    if (!this.#isOpen) return false;
    this.#messages.push(message);
    return true;
  }

  /** All messages that the model has not got. */
  next(): readonly Message[] {
    return this.#messages.splice(0);
  }

  /** Ends the turn for messages. Returns false, and stays open, when there are messages that the model has not got. */
  close(): boolean {
    if (this.#messages.length > 0) return false;
    this.#isOpen = false;
    return true;
  }

  /** The turn has failed or was cancelled. */
  end(): void {
    this.#isOpen = false;
  }
}
