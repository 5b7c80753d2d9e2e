/** A read that brings so much has met a program that puts out all it can: Linux never gives more than 4 KiB of a pty at once. */
const FULL_READ_BYTES = 2 * 1024;
/** Such reads are gathered until there is so much, in bytes: what is done for each delivery costs more than its bytes do. */
const GATHER_BYTES = 56 * 1024;
/** The first of them waits for so long at most, ms. */
const GATHER_MS = 2;
/** Output that comes after so long a silence is not gathered, ms. */
const QUIET_MS = 8;

/**
 * Decides when what was read of a pty is delivered: a flood in large pieces; keys' echoes, and the last read of what a program
 * says at once, without delay.
 */
export class ReadGathering {
  readonly #deliver: () => void;
  /** Runs while something is held back. */
  #timer: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #deliveredAt = Number.NEGATIVE_INFINITY;

  /** `deliver` must call `delivered` when it does. */
  constructor(deliver: () => void) {
    this.#deliver = deliver;
  }

  /** True while more is waited for. */
  get isHolding(): boolean {
    return this.#timer !== undefined;
  }

  /** One read brought `length`, and `waiting` was read and not delivered, in bytes. May deliver within the call. */
  took(length: number, waiting: number): void {
    const isFirst = !this.isHolding && performance.now() - this.#deliveredAt > QUIET_MS;
    if (isFirst || length < FULL_READ_BYTES || waiting >= GATHER_BYTES) this.#deliver();
    else this.#timer ??= setTimeout(() => this.#deliver(), GATHER_MS);
  }

  /** What was held back is being delivered. */
  delivered(): void {
    this.end();
    this.#deliveredAt = performance.now();
  }

  /** Nothing is held back any more. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
