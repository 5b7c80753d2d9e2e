import type { SessionListOptions, StoredSession } from './journal.ts';

/** Rows as stored may have so many times the length that they may have as shortened: to read a long one that comes short takes time, too. */
const STORED_PER_SHOWN = 2;

/** No row within the limits of its texts is longer. Longer ones are of older hosts, and count for no more. */
export const FITTING_LENGTH = 32 * 1024;

/** Adds up what the rows of one answer come to. */
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

  /** Whether no more rows come. */
  hasReached(maxLength: number): boolean {
    return this.#shown >= maxLength || this.#stored >= STORED_PER_SHOWN * maxLength;
  }
}

/** Rows of the catalogue as `listSessions` gives them: shortened one by one, and no more than asked for. */
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
