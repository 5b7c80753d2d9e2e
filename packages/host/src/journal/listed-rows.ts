import type { SessionListOptions } from './journal.ts';
import type { StoredSession } from './rows.ts';

/** Limit of stored length per shortened length: reading a long row takes time even when its shortened form is short. */
const STORED_PER_SHOWN = 2;

/** Longest row that the limits of texts allow. Longer rows are from older hosts, and count as this. */
export const FITTING_LENGTH = 32 * 1024;

/** Sums the lengths of the rows of one answer. */
export class ListedLength {
  #shown = 0;
  #stored = 0;

  get shown(): number {
    return this.#shown;
  }

  add(stored: string, shown: string): void {
    this.#shown += shown.length;
    this.#stored += Math.min(stored.length, FITTING_LENGTH);
  }

  /** Whether the answer is full. */
  hasReached(maxLength: number): boolean {
    return this.#shown >= maxLength || this.#stored >= STORED_PER_SHOWN * maxLength;
  }
}

/** Shortens rows of the catalogue one by one, up to the requested length. */
export function listedRows(
  rows: Iterable<StoredSession>,
  { shorten, maxLength = Number.POSITIVE_INFINITY }: SessionListOptions,
): StoredSession[] {
  const listed: StoredSession[] = [];
  const length = new ListedLength();
  for (const row of rows) {
    const summary = shorten === undefined ? row.summary : shorten(row.summary);
    listed.push({ ...row, summary });
    length.add(row.summary, summary);
    if (length.hasReached(maxLength)) break;
  }
  return listed;
}
