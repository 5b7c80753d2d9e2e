import type { Journal } from '../journal/journal.ts';

/**
 * Numbers that are reserved at once. Each reservation waits for the disk, and a restart skips the unused
 * rest. While the journal cannot be written, a quarter of a block must be enough for all output.
 */
const BLOCK = 2_000_000;

/** Numbers in a band. Every other band is for messages sent while the journal cannot be written. */
const BAND = 2 ** 15;

/**
 * Whether a number was used while the journal could not be written. A client with such a last number may have
 * received messages that no journal contains.
 */
export const isUnjournaled = (seq: number): boolean => Math.floor(seq / BAND) % 2 === 1;

/**
 * Generates sequence numbers [CONN-4] from durably reserved blocks. A message with a number above the
 * reservation must wait for `reserve`.
 */
export class Sequencer {
  readonly #journal: Journal;
  #last: number;
  #reserved: number;
  #isJournalFailing = false;

  /** `reserved`: end of the previous run's reservation. Numbers start above it. */
  constructor(journal: Journal, reserved: number) {
    this.#journal = journal;
    this.#last = reserved;
    this.#reserved = reserved;
  }

  /** The last generated number. */
  get last(): number {
    return this.#last;
  }

  /** The number that `next` would return. */
  get following(): number {
    const seq = this.#last + 1;
    if (isUnjournaled(seq) === this.#isJournalFailing) return seq;
    return (Math.floor(seq / BAND) + 1) * BAND;
  }

  next(): number {
    this.#last = this.following;
    return this.#last;
  }

  /** Sets whether the journal can be written. Later numbers tell which; see `isUnjournaled`. */
  journalFails(isFailing: boolean): void {
    this.#isJournalFailing = isFailing;
  }

  /** True if `seq` may be sent without another reservation. */
  covers(seq: number): boolean {
    return seq <= this.#reserved;
  }

  /**
   * True if so few reserved numbers are left that more should be reserved. The rest must last while the
   * journal cannot be written.
   */
  get isLow(): boolean {
    return this.#reserved - this.#last < BLOCK / 2;
  }

  /** Durably reserves all numbers generated so far and one block more. */
  async reserve(): Promise<void> {
    const upTo = this.#last + BLOCK;
    await this.#journal.reserveSeq(upTo);
    this.#reserved = upTo;
  }
}
