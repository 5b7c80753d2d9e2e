import type { Message } from '@agenthost/protocol';

/** Messages that come into a turn while it runs. The demo agent reads them between two steps. */
export class DemoSteering {
  readonly #messages: Message[] = [];
  #isOpen: boolean;
  #arrival = Promise.withResolvers<void>();

  /** `isDeaf`: it takes none. */
  constructor(isDeaf: boolean) {
    this.#isOpen = !isDeaf;
  }

  /** Takes a message in; false when the turn takes none, or none any more. */
  take(message: Message): boolean {
    if (!this.#isOpen) return false;
    this.#messages.push(message);
    this.#arrival.resolve();
    return true;
  }

  /** The oldest message that was not read yet. */
  next(): Message | undefined {
    const message = this.#messages.shift();
    if (this.#messages.length === 0) this.#arrival = Promise.withResolvers<void>();
    return message;
  }

  /** Resolves when there is a message to read. */
  get arrival(): Promise<void> {
    return this.#arrival.promise;
  }

  /** The turn has made its last step. */
  close(): void {
    this.#isOpen = false;
  }
}
