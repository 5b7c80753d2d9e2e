/** The order after one entry has moved to a place. Places outside of the list count as its ends; an unknown id changes nothing. */
export function movedTo(ids: readonly string[], id: string, index: number): readonly string[] {
  const from = ids.indexOf(id);
  const to = Math.max(0, Math.min(ids.length - 1, index));
  if (from < 0 || from === to) return ids;
  const others = ids.filter((each) => each !== id);
  return [...others.slice(0, to), id, ...others.slice(to)];
}

/** The order after one entry has moved up (-1) or down (1). */
export const movedBy = (ids: readonly string[], id: string, by: -1 | 1): readonly string[] =>
  movedTo(ids, id, ids.indexOf(id) + by);

/** The place of an entry whose middle is at `y`, among others with these middles from top to bottom. */
export const placeAt = (middles: readonly number[], y: number): number =>
  middles.filter((middle) => middle < y).length;

/** Sorts entries by an order that may be older: unknown entries stay behind, in their own order. */
export function inOrder<T extends { readonly id: string }>(
  entries: readonly T[],
  order: readonly string[] | undefined,
): readonly T[] {
  if (order === undefined) return entries;
  const rank = (id: string): number => {
    const index = order.indexOf(id);
    return index < 0 ? order.length : index;
  };
  return entries.toSorted((a, b) => rank(a.id) - rank(b.id));
}
