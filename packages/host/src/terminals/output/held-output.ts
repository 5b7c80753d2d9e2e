import { KeptOutput } from '../../pty/running/kept-output.ts';

/**
 * Passes on the output of a pty, and holds a copy of it while it is paused. The owner of the pty bounds the copy: it stops when too
 * much is unacknowledged, and a paused terminal gets one block (`Pty.hold`).
 */
export class HeldOutput {
  readonly #take: (bytes: Uint8Array, offset: number) => void;
  readonly #held = new KeptOutput();
  /** An offset of the pty less the same one of `#held`. */
  #shift = 0;
  #whenEmpty: (() => void) | undefined;
  #isPaused = true;
  #isOver = false;

  /** Paused at first. `take` gets the bytes in order, and their offset in the output of the pty; they are valid only during the call. */
  constructor(take: (bytes: Uint8Array, offset: number) => void) {
    this.#take = take;
  }

  /** Nothing is held. */
  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Passes on bytes, or copies them while it is paused. */
  push(bytes: Uint8Array, offset: number): void {
    if (this.#isOver) return;
    if (!this.#isPaused && this.isEmpty) return this.#take(bytes, offset);
    if (this.isEmpty) this.#shift = offset - this.#held.end;
    this.#held.append(bytes);
  }

  /** Calls back once nothing is held and it is not paused: at once, or in `resume`. */
  finish(callback: () => void): void {
    if (this.isEmpty && !this.#isPaused) callback();
    else this.#whenEmpty = callback;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Passes on the held bytes, and from then on every byte. */
  resume(): void {
    if (this.#isOver) return;
    this.#isPaused = false;
    while (!this.isEmpty) {
      const { start } = this.#held;
      const bytes = this.#held.at(start);
      this.#take(bytes, start + this.#shift);
      this.#held.forget(start + bytes.length);
    }
    const callback = this.#whenEmpty;
    this.#whenEmpty = undefined;
    callback?.();
  }

  /** Passes on nothing any more. */
  end(): void {
    this.#isOver = true;
    this.#held.forget(this.#held.end);
    this.#whenEmpty = undefined;
  }
}
