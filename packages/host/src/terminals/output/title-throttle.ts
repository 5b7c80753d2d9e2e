import type { Cancel, Timers } from '../../lib/clock.ts';

/** Time between two titles, ms. Each title changes the list of all terminals. */
const TITLE_MS = 100;

/** Throttles the titles of a program: passes on the first at once, then the newest of each interval. The last title is never lost. */
export class TitleThrottle {
  readonly #timers: Timers;
  readonly #due: () => void;
  #held: string | undefined;
  #cancelWindow: Cancel | undefined;

  /** `due` is called when a title that waited can be taken. */
  constructor(timers: Timers, due: () => void) {
    this.#timers = timers;
    this.#due = due;
  }

  /** The newest title while it waits. */
  get held(): string | undefined {
    return this.#held;
  }

  /** The program set a title. Replaces a title that waits. */
  said(title: string): void {
    this.#held = title;
  }

  /** Returns the newest title, unless there is none or it has to wait. */
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

  /** Stops calls of `due`. */
  end(): void {
    this.#cancelWindow?.();
  }
}
