import type { Message } from '@agenthost/protocol';

/** Steering messages of a running turn. The demo agent reads them between two steps. */
export class DemoSteering {
  readonly #messages: Message[] = [];
  #isOpen: boolean;
  #arrival = Promise.withResolvers<void>();

  /** `isDeaf`: the turn takes no messages. */
  constructor(isDeaf: boolean) {
    this.#isOpen = !isDeaf;
  }

  /** Takes a message. Returns false when the turn takes none, or none any more. */
  take(message: Message): boolean {
    if (!this.#isOpen) return false;
    this.#messages.push(message);
    this.#arrival.resolve();
    return true;
  }

  /** The oldest unread message. */
  next(): Message | undefined {
    const message = this.#messages.shift();
    if (this.#messages.length === 0) this.#arrival = Promise.withResolvers<void>();
    return message;
  }

  /** Resolves when there is an unread message. */
  get arrival(): Promise<void> {
    return this.#arrival.promise;
  }

  /** The turn has played its last step. */
  close(): void {
    this.#isOpen = false;
  }
}
