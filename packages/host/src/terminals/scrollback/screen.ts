import type { Cancel, Timers } from '../../lib/clock.ts';
import { Emulator, type Size } from './emulator.ts';

/** Time that an emulator is kept after the last `read`. */
const IDLE_MS = 30_000;

/** UTF-16 code units of output between two reads. After more, the next read starts from the content. */
const MAX_BACKLOG = 512 * 1024;

/**
 * The screen of a terminal at a place of its output. Programs query it at each prompt, so the emulator is kept for a while and reads only
 * the output since the last query. Without queries there is no emulator.
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

  /** The program wrote this text. Call it in order with `read`. */
  wrote(text: string): void {
    if (this.#emulator === undefined) return;
    this.#backlog.push(text);
    this.#backlogUnits += text.length;
    if (this.#backlogUnits > MAX_BACKLOG) this.close();
  }

  /**
   * Calls `look` with the screen behind all output so far. `text` returns that output; it is called only for a new emulator: at the first
   * read, after another size, or after much output. Results come in the order of the calls.
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
      // The caller gets the error; an emulator that failed is not used again.
      if (this.#emulator === opening) this.close();
    });
    return answer;
  }

  /** Disposes of the emulator after pending reads. Call it when the terminal is cleared or ends. */
  close(): void {
    const closing = this.#emulator;
    this.#cancelIdle?.();
    this.#emulator = undefined;
    this.#size = undefined;
    this.#backlog = [];
    this.#backlogUnits = 0;
    if (closing === undefined) return;
    const dispose = (emulator: Emulator): void => emulator.dispose();
    // The caller of `read` gets the error of an emulator that could not be opened.
    void this.#last.then(() => closing).then(dispose, () => undefined);
  }
}
