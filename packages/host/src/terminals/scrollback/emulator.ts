import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Terminal } from '@xterm/headless';

/** Columns and rows. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** UTF-16 code units that an emulator reads in one iteration of the event loop: a few milliseconds at most. */
const SLICE_LENGTH = 32 * 1024;

/** `CSI 1 J` and `CSI ? 1 J`: erase from the start of the screen to the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins the sequence
const ERASE_ABOVE = /(\x1b\[\??1J)/;

/** A terminal emulator without a screen. */
export class Emulator {
  readonly terminal: Terminal;
  /** The exception that the emulator threw. Its state is undefined from then on. */
  #failure: unknown;

  private constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Opens an empty terminal. Loads the library at the first call: most hosts never need it. */
  static async open({ cols, rows }: Size, scrollbackLines: number): Promise<Emulator> {
    const { default: xterm } = await import('@xterm/headless');
    const options = {
      cols,
      rows,
      scrollback: scrollbackLines,
      allowProposedApi: true,
      logLevel: 'off',
    } as const;
    return new Emulator(new xterm.Terminal(options));
  }

  /** Writes text in slices, one per iteration of the event loop. Rejects with the exception that the emulator throws. */
  async feed(text: string): Promise<void> {
    let isFirst = true;
    for (const piece of text.split(ERASE_ABOVE)) {
      const sequence = ERASE_ABOVE.test(piece) && this.#isInCorner ? '\x1b[2J' : piece;
      for (let at = 0; at < sequence.length; at += SLICE_LENGTH) {
        if (!isFirst && at > 0) await nextTurn();
        isFirst = false;
        await this.#write(sequence.slice(at, at + SLICE_LENGTH));
      }
    }
  }

  /** Writes a query and resolves with the answer of the terminal; empty when it knows none. */
  async ask(query: string): Promise<string> {
    let answer = '';
    const listening = this.terminal.onData((data) => {
      answer += data;
    });
    try {
      await this.#write(query);
      return answer;
    } finally {
      listening.dispose();
    }
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /**
   * Whether the cursor is at the end of the last line that there is. The emulator throws on `CSI 1 J` there, because it looks for the
   * next line. The sequence erases the whole screen there, as `CSI 2 J` does.
   */
  get #isInCorner(): boolean {
    const { cols, buffer } = this.terminal;
    const { cursorX, cursorY, length } = buffer.active;
    return cursorX + 1 >= cols && cursorY + 1 >= length;
  }

  #write(text: string): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      try {
        // The emulator reads a write behind user input at once. Its exceptions then come here, and not out of a timer.
        this.terminal.input('', true);
        this.terminal.write(text, resolve);
      } catch (error) {
        this.#failure = error;
        reject(error);
      }
    });
  }
}
