import type { Cancel, Timers } from '../../lib/clock.ts';

/** Output written to sockets in one iteration of the event loop, in UTF-16 units. The output of one socket is never split. */
export const FLUSHED_LENGTH = 16 * 1024 * 1024;

/** Shorter output is written at once. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Time that confirmations of typed input wait, ms. The output that the input causes usually follows within this time and is written with them:
 * one write instead of two, and the confirmation does not delay the echo of a key.
 */
export const CONFIRMATION_MS = 2;

/** Output that is held back until the end of a tick. */
export interface Flushable {
  /** Whether it only confirms typed input to the client that typed it. */
  readonly isConfirmation: boolean;
  /** Its length in UTF-16 units. */
  readonly corkedLength: number;
  flush(): void;
}

/** Writes the output of a tick to sockets. A large message to many clients is written to a few of them in each iteration of the event loop. */
export class Flushing {
  readonly #timers: Timers;
  readonly #waiting = new Set<Flushable>();
  #isSliced = false;
  /** Cancels the timer of the confirmations. Absent: no timer runs. */
  #cancelDelay: Cancel | undefined;
  #isStopped = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  add(output: Flushable): void {
    this.#waiting.add(output);
  }

  flush(): void {
    let length = 0;
    let isLeft = false;
    for (const output of this.#waiting) {
      const { corkedLength, isConfirmation } = output;
      if (isConfirmation) {
        this.#delay();
        continue;
      }
      if (corkedLength > SHORT_LENGTH && (this.#isSliced || length >= FLUSHED_LENGTH)) {
        isLeft = true;
        continue;
      }
      this.#waiting.delete(output);
      output.flush();
      length += corkedLength;
    }
    if (!isLeft || this.#isSliced) return;
    this.#isSliced = true;
    this.#timers.immediate(() => {
      this.#isSliced = false;
      this.flush();
    });
  }

  /** Flushes the confirmations that wait. Later ones do not wait. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelDelay?.();
    this.#flushConfirmations();
  }

  /** Flushes the confirmations soon. */
  #delay(): void {
    if (this.#isStopped) this.#flushConfirmations();
    else this.#cancelDelay ??= this.#timers.after(CONFIRMATION_MS, () => this.#flushConfirmations());
  }

  #flushConfirmations(): void {
    this.#cancelDelay = undefined;
    for (const output of this.#waiting) {
      if (!output.isConfirmation) continue;
      this.#waiting.delete(output);
      output.flush();
    }
  }
}
