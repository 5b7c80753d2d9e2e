import type { Journal, JournalStart } from '../journal/journal.ts';

/** Numbers with `after < n <= upTo`: above all that a host had journaled when it ended, and below those of the next. */
export interface LifeEnd {
  readonly after: number;
  readonly upTo: number;
}

const KEY = 'lifeEnds';

/** So many ends are told apart; the oldest of more count as one, which is careful. */
const KEPT = 100;

/**
 * Where earlier hosts ended. A client whose last number lies in one of these may have a window that its host could not write down. Writes
 * down the latest end before anything else is journaled; rejects with the journal's error.
 */
export async function loadLifeEnds(journal: Journal, start: JournalStart): Promise<readonly LifeEnd[]> {
  // As the line below wrote it.
  const known: LifeEnd[] = JSON.parse((await journal.readMeta(KEY)) ?? '[]');
  const { lastSeq: after, reservedSeq: upTo } = start;
  // One that ended before it had journaled anything ended where the one before it did.
  const ends = [...known.filter((end) => end.after !== after), ...(upTo > after ? [{ after, upTo }] : [])];
  const [first, second, ...rest] = ends;
  const isTooMany = ends.length > KEPT && first !== undefined && second !== undefined;
  const kept = isTooMany ? [{ after: first.after, upTo: second.upTo }, ...rest] : ends;
  await journal.commit([{ op: 'meta', key: KEY, value: JSON.stringify(kept) }]);
  return kept;
}
