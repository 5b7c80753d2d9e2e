import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Where an exchange of several lines reads them. */
export interface Lines {
  /** The next line; `undefined` at the end of input, or when the signal aborts first. */
  next(signal: AbortSignal): Promise<string | undefined>;
}

/** All lines until `release`, in a queue for `next`. */
export interface HeldLines extends Lines {
  /** Passes unread lines on to the present listener. */
  release(): void;
}

/** Lines that a person types, or that another program pipes in; each goes to the newest reader that still waits. */
export class LineReader implements Lines {
  readonly #lines: Interface;
  readonly #listeners: ((line: string | undefined) => void)[] = [];
  #hasEnded = false;

  constructor(input: Readable) {
    // The terminal itself edits the line, so that Ctrl-C stays a signal.
    this.#lines = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('close', () => {
      this.#hasEnded = true;
      for (const listener of Array.from(this.#listeners)) listener(undefined);
    });
  }

  /** The end of the input: no further lines follow. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Calls `listener` for each line, and with `undefined` at the end of input. The result removes it. */
  onLine(listener: (line: string | undefined) => void): () => void {
    if (this.#hasEnded) listener(undefined);
    this.#listeners.push(listener);
    return () => {
      const index = this.#listeners.indexOf(listener);
      if (index >= 0) this.#listeners.splice(index, 1);
    };
  }

  /** The next line; `undefined` at the end of input, or when the signal aborts first. */
  next(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#hasEnded) return resolve(undefined);
      const settle = (line: string | undefined): void => {
        stop();
        signal.removeEventListener('abort', abort);
        resolve(line);
      };
      const abort = (): void => settle(undefined);
      const stop = this.onLine(settle);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /**
   * Reserves the following lines for one exchange: pasted or piped lines arrive faster than the questions, and belong to later
   * questions.
   */
  hold(): HeldLines {
    const kept: string[] = [];
    let wake = (): void => undefined;
    let isOver = this.#hasEnded;
    const stop = this.onLine((line) => {
      if (line === undefined) isOver = true;
      else kept.push(line);
      wake();
    });
    return {
      next: async (signal) => {
        while (kept.length === 0 && !signal.aborted) {
          if (isOver) return undefined;
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
        return signal.aborted ? undefined : kept.shift();
      },
      release: () => {
        stop();
        for (const line of kept.splice(0)) this.#take(line);
      },
    };
  }

  #take(line: string): void {
    this.#listeners.at(-1)?.(line);
  }

  /** Stops reading, so that the process may end. */
  close(): void {
    this.#lines.close();
  }
}
