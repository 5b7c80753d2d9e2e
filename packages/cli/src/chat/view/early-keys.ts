import type { Context } from '../../process/context.ts';

type KeyInput = Context['stdin'];

/** Discards keys until the first screen is visible. */
export class EarlyKeys {
  readonly #input: KeyInput;
  readonly #drop = (chunk: Buffer | string): void => {
    if (chunk.toString().includes('\u0003')) this.#interrupt();
  };
  readonly #interrupt: () => void;
  #isOn = true;

  /** Drops what is typed from now on, without echo; Ctrl-C calls `interrupt`. */
  constructor(input: KeyInput, interrupt: () => void) {
    this.#input = input;
    this.#interrupt = interrupt;
    input.setRawMode?.(true);
    input.on('data', this.#drop);
  }

  /**
   * Leaves the input to who shows the first screen, by `open`: no key is echoed in between. A paused input stops reading only in a later tick. Rejects as `open`
   * throws, with the terminal as it was.
   */
  async handOver<Opened>(open: () => Opened): Promise<Opened> {
    this.#stop();
    await new Promise((resolve) => setImmediate(resolve));
    try {
      return open();
    } catch (error) {
      this.#input.setRawMode?.(false);
      throw error;
    }
  }

  /** Gives the terminal back as it was, unless it has been handed over. Does so once. */
  dispose(): void {
    if (this.#isOn) this.#input.setRawMode?.(false);
    this.#stop();
  }

  #stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#input.off('data', this.#drop);
    this.#input.pause();
  }
}
