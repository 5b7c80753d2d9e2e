/** A read of at least this size is part of a flood: Linux returns at most 4 KiB of a pty at once. */
const FULL_READ_BYTES = 2 * 1024;
/** Limit of the gathered bytes. Each delivery has a fixed cost that is higher than that of its bytes. */
const GATHER_BYTES = 56 * 1024;
/** Limit of the time that gathered bytes wait, ms. */
const GATHER_MS = 2;
/** The first read after a silence of this length is delivered at once, ms. */
const QUIET_MS = 8;

/**
 * Decides when reads of a pty are delivered: a flood in large pieces, echoes of keys and the last read of a burst at once.
 */
export class ReadGathering {
  readonly #deliver: () => void;
  /** Set while bytes are held back. */
  #timer: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #deliveredAt = Number.NEGATIVE_INFINITY;

  /** `deliver` must call `delivered` when it does. */
  constructor(deliver: () => void) {
    this.#deliver = deliver;
  }

  /** Whether bytes are held back. */
  get isHolding(): boolean {
    return this.#timer !== undefined;
  }

  /** A read returned `length` bytes; `waiting` bytes are not delivered yet, with these. May deliver within the call. */
  took(length: number, waiting: number): void {
    const isFirst = !this.isHolding && performance.now() - this.#deliveredAt > QUIET_MS;
    if (isFirst || length < FULL_READ_BYTES || waiting >= GATHER_BYTES) this.#deliver();
    else this.#timer ??= setTimeout(() => this.#deliver(), GATHER_MS);
  }

  /** The bytes that were held back are being delivered. */
  delivered(): void {
    this.end();
    this.#deliveredAt = performance.now();
  }

  /** Holds nothing back any more. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
