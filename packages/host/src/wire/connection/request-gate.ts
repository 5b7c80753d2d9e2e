/** Concurrent requests of one connection. */
export const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Limits the concurrent requests of one connection. A few run at a time, and none starts while the client does not read its answers. The others
 * wait in order. Other messages of the connection do not wait for them.
 */
export class RequestGate {
  readonly #hasRoom: () => boolean;
  readonly #afterTurn: (callback: () => void) => void;
  #waiting: (() => void)[] = [];
  #runningCount = 0;

  /** `hasRoom`: whether the client reads its answers. Call `resume` when it does again. */
  constructor(parts: { hasRoom(): boolean; afterTurn(callback: () => void): void }) {
    this.#hasRoom = () => parts.hasRoom();
    this.#afterTurn = (callback) => parts.afterTurn(callback);
  }

  /** Runs `work` in its turn, synchronously if that is now. The promises of requests that wait at `close` never settle. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#isOpen()) this.#runningCount += 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      // Its answer counts as waiting output by then.
      this.#afterTurn(() => {
        this.#runningCount -= 1;
        this.resume();
      });
    }
  }

  /** Starts waiting requests while there is room. */
  resume(): void {
    while (this.#isOpen()) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      this.#runningCount += 1;
      begin();
    }
  }

  /** Drops the waiting requests. Call it when the connection has closed. */
  close(): void {
    this.#waiting = [];
  }

  #isOpen(): boolean {
    return this.#runningCount < MAX_CONCURRENT_REQUESTS && this.#hasRoom();
  }
}
