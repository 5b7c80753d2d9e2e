import type { Timers } from '../../lib/clock.ts';

/** Output written to sockets in one iteration of the event loop, in UTF-16 units. The output of one socket is never split. */
export const FLUSHED_LENGTH = 16 * 1024 * 1024;

/** Shorter output is written at once. */
const SHORT_LENGTH = 64 * 1024;

/** Output that is held back until the end of a tick. */
export interface Flushable {
  /** Its length in UTF-16 units. */
  readonly corkedLength: number;
  flush(): void;
}

/** Writes the output of a tick to sockets. A large message to many clients is written to a few of them in each iteration of the event loop. */
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
