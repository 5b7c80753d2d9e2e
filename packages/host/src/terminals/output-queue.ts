import type { Timers } from '../lib/clock.ts';

/** A terminal takes so many bytes in one turn of the event loop: others have a share of it too. */
const TURN_BYTES = 256 * 1024;
/** Bytes that are taken at once. */
const STEP_BYTES = 64 * 1024;

/**
 * Hands on output in steps, a bounded amount in each turn of the event loop. What it holds back is bounded by the pty's owner,
 * who reads no further while too much is not acknowledged.
 */
export class OutputQueue {
  readonly #timers: Timers;
  readonly #take: (bytes: Uint8Array, offset: number) => void;
  readonly #waiting: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
  #taken = 0;
  #isScheduled = false;
  #whenEmpty: (() => void) | undefined;
  #isOver = false;

  /** `take` gets the bytes in order; they are valid only during the call. */
  constructor(timers: Timers, take: (bytes: Uint8Array, offset: number) => void) {
    this.#timers = timers;
    this.#take = take;
  }

  /** Takes them now, or a copy later. */
  push(bytes: Uint8Array, offset: number): void {
    if (this.#isOver) return;
    for (let start = 0; start < bytes.length; start += STEP_BYTES) {
      const step = bytes.subarray(start, start + STEP_BYTES);
      if (this.#waiting.length === 0 && this.#taken < TURN_BYTES) this.#hand(step, offset + start);
      // A `slice` of a Buffer would be a view.
      else this.#waiting.push({ bytes: new Uint8Array(step), offset: offset + start });
    }
    this.#schedule();
  }

  /** Calls back once everything was taken. */
  finish(callback: () => void): void {
    if (this.#waiting.length === 0) callback();
    else this.#whenEmpty = callback;
  }

  /** Takes all that waits, now. */
  takeAll(): void {
    for (const { bytes, offset } of this.#waiting.splice(0)) this.#hand(bytes, offset);
    this.#settle();
  }

  /** Takes nothing any more. */
  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#whenEmpty = undefined;
  }

  #hand(bytes: Uint8Array, offset: number): void {
    this.#taken += bytes.length;
    this.#take(bytes, offset);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#timers.immediate(() => {
      this.#isScheduled = false;
      this.#taken = 0;
      while (this.#taken < TURN_BYTES) {
        const next = this.#waiting.shift();
        if (next === undefined) return this.#settle();
        this.#hand(next.bytes, next.offset);
      }
      this.#schedule();
    });
  }

  #settle(): void {
    const callback = this.#whenEmpty;
    this.#whenEmpty = undefined;
    callback?.();
  }
}
