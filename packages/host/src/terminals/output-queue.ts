import type { Timers } from '../lib/clock.ts';
import { KeptOutput } from '../pty/kept-output.ts';

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
  /** A copy of what has to wait, from `#next` on. */
  readonly #waiting = new KeptOutput();
  #next = 0;
  /** An offset of the pty less one of `#waiting`. */
  #shift = 0;
  #taken = 0;
  #isScheduled = false;
  #whenEmpty: (() => void) | undefined;
  #isPaused = false;
  #isOver = false;

  /** `take` gets the bytes in order; they are valid only during the call. */
  constructor(timers: Timers, take: (bytes: Uint8Array, offset: number) => void) {
    this.#timers = timers;
    this.#take = take;
  }

  /** Takes them now, or a copy later. What comes while something waits follows on it. */
  push(bytes: Uint8Array, offset: number): void {
    if (this.#isOver) return;
    let start = 0;
    const takesMore = (): boolean => !this.#isPaused && this.isEmpty && this.#taken < TURN_BYTES;
    for (; takesMore() && start < bytes.length; start += STEP_BYTES)
      this.#hand(bytes.subarray(start, start + STEP_BYTES), offset + start);
    if (start < bytes.length) {
      if (this.isEmpty) this.#shift = offset + start - this.#next;
      this.#waiting.append(bytes.subarray(start));
    }
    this.#schedule();
  }

  /** Calls back once everything was taken, and not while paused. */
  finish(callback: () => void): void {
    if (this.isEmpty && !this.#isPaused) callback();
    else this.#whenEmpty = callback;
  }

  /** Hands on nothing until `resume`: what comes waits. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Goes on with what waits. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#handTurn();
  }

  /** Nothing waits to be taken. */
  get isEmpty(): boolean {
    return this.#next === this.#waiting.end;
  }

  /** Takes all that waits, now; nothing while paused. */
  takeAll(): void {
    if (this.#isPaused) return;
    while (this.#handNext());
    this.#settle();
  }

  /** Takes nothing any more. */
  end(): void {
    this.#isOver = true;
    this.#next = this.#waiting.end;
    this.#waiting.forget(this.#next);
    this.#whenEmpty = undefined;
  }

  /** False when nothing waits. */
  #handNext(): boolean {
    const bytes = this.#waiting.at(this.#next);
    if (bytes.length === 0) return false;
    const offset = this.#next + this.#shift;
    this.#next += bytes.length;
    this.#hand(bytes, offset);
    this.#waiting.forget(this.#next);
    return true;
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
      this.#handTurn();
    });
  }

  #handTurn(): void {
    while (!this.#isPaused && this.#taken < TURN_BYTES) {
      if (!this.#handNext()) return this.#settle();
    }
    if (!this.#isPaused) this.#schedule();
  }

  #settle(): void {
    const callback = this.#whenEmpty;
    this.#whenEmpty = undefined;
    callback?.();
  }
}
