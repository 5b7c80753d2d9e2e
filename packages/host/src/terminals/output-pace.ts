import type { Cancel, Timers } from '../lib/clock.ts';

/**
 * Output is gathered for so long at most, ms; the first after a silence goes at once, so that keys are not felt to lag. Who owns the
 * pty may have gathered for two more: eight together.
 */
const GATHER_MS = 6;
/** Output gathered into one action at most, in UTF-16 code units. */
const GATHER_LENGTH = 48 * 1024;
/** As often as this, little output goes at once in that time too: quick keys, and a prompt that is drawn in pieces. */
const QUICK_FLUSHES = 4;
/** What is little, in UTF-16 code units. */
const QUICK_LENGTH = 1024;

/** Decides when gathered output goes out. */
export class OutputPace {
  readonly #timers: Timers;
  readonly #flush: () => void;
  #isWaiting = false;
  /** Runs for a while after each flush by time. */
  #cancelWindow: Cancel | undefined;
  /** How often little output may still go at once. */
  #quickLeft = 0;

  /** `flush` sends what was gathered. */
  constructor(timers: Timers, flush: () => void) {
    this.#timers = timers;
    this.#flush = flush;
  }

  /** There is more; `length` is all that was gathered. May flush at once. */
  arrived(length: number): void {
    this.#isWaiting = true;
    if (this.#cancelWindow === undefined) this.#release();
    else if (length >= GATHER_LENGTH) this.#restart();
    else if (length <= QUICK_LENGTH && this.#quickLeft > 0) {
      this.#quickLeft -= 1;
      this.flush();
    }
  }

  /** Sends what was gathered now. */
  flush(): void {
    this.#isWaiting = false;
    this.#flush();
  }

  /** Nothing is flushed by itself any more. */
  end(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = () => undefined;
    this.#isWaiting = false;
  }

  #release(): void {
    this.#quickLeft = QUICK_FLUSHES;
    this.#restart();
  }

  /** Nothing has waited before now, so nothing that comes may go earlier: a flood stays in pieces of full length. */
  #restart(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = this.#timers.after(GATHER_MS, () => {
      this.#cancelWindow = undefined;
      if (this.#isWaiting) this.#release();
    });
    this.flush();
  }
}
