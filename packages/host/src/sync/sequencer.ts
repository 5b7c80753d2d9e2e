import type { Journal } from '../journal/journal.ts';

/**
 * Numbers reserved at a time. Each reservation waits for the disk; a restart skips what is left of one. While the journal cannot be written a quarter
 * of it has to do for all that is sent.
 */
const BLOCK = 2_000_000;

/** Numbers in a band. Every other band is for messages that are sent while the journal cannot be written. */
const BAND = 2 ** 15;

/**
 * Whether a number was given out while the journal could not be written. A client whose last number is such a one may have been sent
 * what no journal holds.
 */
export const isUnjournaled = (seq: number): boolean => Math.floor(seq / BAND) % 2 === 1;

/**
 * Gives out sequence numbers [CONN-4]. Numbers come from blocks reserved durably ahead; nothing that carries a number
 * above the reservation may leave before `reserve` for it has resolved.
 */
export class Sequencer {
  readonly #journal: Journal;
  #last: number;
  #reserved: number;
  #isJournalFailing = false;

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

  /** The number that `next` would give out. */
  get following(): number {
    const seq = this.#last + 1;
    if (isUnjournaled(seq) === this.#isJournalFailing) return seq;
    return (Math.floor(seq / BAND) + 1) * BAND;
  }

  next(): number {
    this.#last = this.following;
    return this.#last;
  }

  /** Says whether the journal can be written: the numbers from now on tell, see `isUnjournaled`. */
  journalFails(isFailing: boolean): void {
    this.#isJournalFailing = isFailing;
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
