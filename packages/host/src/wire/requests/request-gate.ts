/** Requests of one connection that may read or wait at once. */
export const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Bounds what one connection's concurrent requests cost: a few run at a time, and none is begun while the client does not
 * read what it asked for. The rest wait in order; nothing else waits for them.
 */
export class RequestGate {
  readonly #hasRoom: () => boolean;
  readonly #afterTurn: (callback: () => void) => void;
  #waiting: (() => void)[] = [];
  #runningCount = 0;

  /** `hasRoom`: whether answers are being read; call `resume` when they are again. */
  constructor(parts: { hasRoom(): boolean; afterTurn(callback: () => void): void }) {
    this.#hasRoom = () => parts.hasRoom();
    this.#afterTurn = (callback) => parts.afterTurn(callback);
  }

  /** Runs `work`, in this very call when it is its turn. After `close` what waits never settles: nobody is to be answered. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#isOpen()) this.#runningCount += 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      // Not before its answer is made and counted.
      this.#afterTurn(() => {
        this.#runningCount -= 1;
        this.resume();
      });
    }
  }

  /** Begins what waits, as far as there is room. */
  resume(): void {
    while (this.#isOpen()) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      this.#runningCount += 1;
      begin();
    }
  }

  /** Forgets what waits: the connection is over. */
  close(): void {
    this.#waiting = [];
  }

  #isOpen(): boolean {
    return this.#runningCount < MAX_CONCURRENT_REQUESTS && this.#hasRoom();
  }
}
