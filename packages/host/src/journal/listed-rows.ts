import type { SessionListOptions, StoredSession } from './journal.ts';

/** Rows of the catalogue as `listSessions` gives them: shortened one by one, and no more than asked for. */
export function listedRows(
  rows: Iterable<StoredSession>,
  { shorten, maxLength = Number.POSITIVE_INFINITY }: SessionListOptions,
): StoredSession[] {
  const listed: StoredSession[] = [];
  let length = 0;
  for (const row of rows) {
    const summary = shorten === undefined ? row.summary : shorten(row.summary);
    listed.push({ ...row, summary });
    length += summary.length;
    if (length >= maxLength) break;
  }
  return listed;
}
