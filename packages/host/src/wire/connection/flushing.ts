import type { Timers } from '../../lib/clock.ts';

/** So much is written to sockets in one turn of the event loop, and what one socket gets whole. */
export const FLUSHED_LENGTH = 16 * 1024 * 1024;

/** Shorter output waits for no turn. */
const SHORT_LENGTH = 64 * 1024;

/** Output that is held back until the end of a tick. */
export interface Flushable {
  /** How long it is. */
  readonly corkedLength: number;
  flush(): void;
}

/** Writes what a tick made to its sockets. A large message to many readers goes to a few of them in each turn of the event loop. */
export class Flushing {
  readonly #timers: Timers;
  readonly #waiting = new Set<Flushable>();
  #isSliced = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  add(output: Flushable): void {
    this.#waiting.add(output);
  }

  flush(): void {
    let length = 0;
    for (const output of this.#waiting) {
      const { corkedLength } = output;
      if (corkedLength > SHORT_LENGTH && (this.#isSliced || length >= FLUSHED_LENGTH)) continue;
      this.#waiting.delete(output);
      output.flush();
      length += corkedLength;
    }
    if (this.#waiting.size === 0 || this.#isSliced) return;
    this.#isSliced = true;
    this.#timers.immediate(() => {
      this.#isSliced = false;
      this.flush();
    });
  }
}
