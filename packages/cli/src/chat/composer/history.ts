/** Messages that were sent, and where in them somebody is. */
export interface History {
  readonly entries: readonly string[];
  /** Index of the one that shows; the number of entries: none, but what was being typed. */
  readonly at: number;
  /** What was being typed before the first step back. */
  readonly typed: string;
}

/** A history, the latest last. Repetitions in a row count once. */
export function historyOf(entries: readonly string[]): History {
  const distinct = entries.filter((entry, index) => entry !== '' && entry !== entries[index - 1]);
  return { entries: distinct, at: distinct.length, typed: '' };
}

/** One step; `undefined` at the end. `shown` is what stands in the editor now. */
export function stepped(
  history: History,
  by: -1 | 1,
  shown: string,
): { history: History; text: string } | undefined {
  const { entries, at } = history;
  const next = at + by;
  if (next < 0 || next > entries.length) return undefined;
  const typed = at === entries.length ? shown : history.typed;
  return { history: { entries, at: next, typed }, text: entries[next] ?? typed };
}
