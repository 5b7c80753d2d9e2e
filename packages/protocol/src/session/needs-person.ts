import type { SessionInputRequest } from './input-needed.ts';

/** Whether an entry waits for a person; a client runs its own tools without one [SESS-26]. */
export const needsPerson = ({ kind }: SessionInputRequest): boolean => kind !== 'toolClientExecution';

/** Number of entries that need a person, by list. Depends on the list only, so that reducers stay pure. */
const counts = new WeakMap<readonly SessionInputRequest[], number>();

/** How many entries need a person. Known without a search for a list that `countChanged` was told of. */
export function countForPerson(list: readonly SessionInputRequest[]): number {
  const known = counts.get(list);
  if (known !== undefined) return known;
  let count = 0;
  for (const request of list) count += countOf(request);
  counts.set(list, count);
  return count;
}

/** Notes that `after` is `before` without one entry, or with another one, or both. */
export function countChanged(
  before: readonly SessionInputRequest[],
  after: readonly SessionInputRequest[],
  change: { readonly removed: SessionInputRequest | undefined; readonly added?: SessionInputRequest },
): void {
  counts.set(after, countForPerson(before) - countOf(change.removed) + countOf(change.added));
}

const countOf = (request: SessionInputRequest | undefined): number =>
  request !== undefined && needsPerson(request) ? 1 : 0;
