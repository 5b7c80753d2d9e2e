import type { Journal } from '../journal/journal.ts';

/** Numbers reserved at a time. Each reservation waits for the disk; a restart skips what is left of one. */
const BLOCK = 200_000;

/**
 * Gives out sequence numbers [CONN-4]. Numbers come from blocks reserved durably ahead; nothing that carries a number
 * above the reservation may leave before `reserve` for it has resolved.
 */
export class Sequencer {
  readonly #journal: Journal;
  #last: number;
  #reserved: number;

  /** `reserved`: where the last life's reservation ended; this one starts above it. */
  constructor(journal: Journal, reserved: number) {
    this.#journal = journal;
    this.#last = reserved;
    this.#reserved = reserved;
  }

  /** The last number given out. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** True when `seq` may be sent without a further reservation. */
  covers(seq: number): boolean {
    return seq <= this.#reserved;
  }

  /** True when so few reserved numbers are left that it is time for more: while none can be had, those have to do. */
  get isLow(): boolean {
    return this.#reserved - this.#last < BLOCK / 2;
  }

  /** Makes sure that everything given out so far may be sent, and a block more. */
  async reserve(): Promise<void> {
    const upTo = this.#last + BLOCK;
    await this.#journal.reserveSeq(upTo);
    this.#reserved = upTo;
  }
}
