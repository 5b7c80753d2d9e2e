import type { Cancel, Timers } from '../../lib/clock.ts';

/** A title of a program goes out no sooner after the one before it, ms: each makes a list of all terminals. */
const TITLE_MS = 100;

/** Lets through the first of a program's titles at once, then the newest of each while, the last one always. */
export class TitleThrottle {
  readonly #timers: Timers;
  readonly #due: () => void;
  #held: string | undefined;
  #cancelWindow: Cancel | undefined;

  /** `due`: a title that was held may be taken now. */
  constructor(timers: Timers, due: () => void) {
    this.#timers = timers;
    this.#due = due;
  }

  /** The newest title, while it may not be taken yet. */
  get held(): string | undefined {
    return this.#held;
  }

  /** A program calls its terminal so, and no longer as it did before. */
  said(title: string): void {
    this.#held = title;
  }

  /** Hands over the newest title, if there is one and its time has come. */
  take(): string | undefined {
    if (this.#held === undefined || this.#cancelWindow !== undefined) return undefined;
    const title = this.#held;
    this.#held = undefined;
    this.#cancelWindow = this.#timers.after(TITLE_MS, () => {
      this.#cancelWindow = undefined;
      if (this.#held !== undefined) this.#due();
    });
    return title;
  }

  /** Nothing comes due any more. */
  end(): void {
    this.#cancelWindow?.();
  }
}
