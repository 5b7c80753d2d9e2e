import type { Cancel, Timers } from '../../lib/clock.ts';
import { Emulator, type Size } from './emulator.ts';

/** How long an emulator is kept after the last question. */
const IDLE_MS = 30_000;

/** UTF-16 units that may come between two questions; with more, the next question starts again from the content. */
const MAX_BACKLOG = 512 * 1024;

/**
 * A terminal's screen for those who ask what it shows at a certain place of its output. Programs ask at each prompt, so the
 * emulator stays for a while and takes in only what came since; without questions there is none, and output costs nothing.
 */
export class LiveScreen {
  readonly #timers: Timers;
  #emulator: Promise<Emulator> | undefined;
  #size: Size | undefined;
  #backlog: string[] = [];
  #backlogUnits = 0;
  #last: Promise<unknown> = Promise.resolve();
  #cancelIdle: Cancel | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Output, in order with `read`. */
  wrote(text: string): void {
    if (this.#emulator === undefined) return;
    this.#backlog.push(text);
    this.#backlogUnits += text.length;
    if (this.#backlogUnits > MAX_BACKLOG) this.close();
  }

  /**
   * Looks at the screen as it is behind everything written so far; `text` is all of that and called only when the screen has to
   * be made anew (first question, another size, much output since). Answers come in the order of asking.
   */
  read<T>(size: Size, text: () => string, look: (emulator: Emulator) => T | Promise<T>): Promise<T> {
    if (this.#size?.cols !== size.cols || this.#size.rows !== size.rows) this.close();
    const opened = this.#emulator;
    const opening = opened ?? Emulator.open(size, 0);
    const news = opened === undefined ? text() : this.#backlog.join('');
    this.#emulator = opening;
    this.#size = size;
    this.#backlog = [];
    this.#backlogUnits = 0;
    this.#cancelIdle?.();
    this.#cancelIdle = this.#timers.after(IDLE_MS, () => this.close());
    const answer = this.#last.then(async () => {
      const emulator = await opening;
      await emulator.feed(news);
      return look(emulator);
    });
    this.#last = answer.catch(() => {
      // Whoever asked hears of it; an emulator that failed is not asked again.
      if (this.#emulator === opening) this.close();
    });
    return answer;
  }

  /** Lets go of the emulator: when the terminal was cleared or goes. What was asked before is still answered. */
  close(): void {
    const closing = this.#emulator;
    this.#cancelIdle?.();
    this.#emulator = undefined;
    this.#size = undefined;
    this.#backlog = [];
    this.#backlogUnits = 0;
    if (closing === undefined) return;
    const dispose = (emulator: Emulator): void => emulator.dispose();
    // One that could not be made needs no end, and whoever asked has heard of it.
    void this.#last.then(() => closing).then(dispose, () => undefined);
  }
}
