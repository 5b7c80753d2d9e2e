import type { Row } from '../transcript/rows.ts';
import { type FoundPlace, offsetsOf } from './find-model.ts';

/** The row that shows a place. The error that ended a turn is in the turn's last row. */
export function rowOfPlace(rows: readonly Row[], { turnId, index, offset }: FoundPlace): Row | undefined {
  const found = rows.find((row) => {
    if (row.turnId !== turnId) return false;
    switch (row.kind) {
      case 'message':
        return index === -1;
      case 'text':
        return (
          row.index === index &&
          row.chunk.start <= offset &&
          offset < (row.chunk.end ?? Number.POSITIVE_INFINITY)
        );
      case 'part':
        return row.index === index;
      case 'explored':
        return row.index <= index && index <= row.lastIndex;
      case 'end':
        return false;
      default:
        return row satisfies never;
    }
  });
  return found ?? rows.find((row) => row.kind === 'end' && row.turnId === turnId);
}

/** Number of a place of `query` among those that show in its row, from 0. Long texts have several rows. */
export function numberOfPlace(
  places: readonly FoundPlace[],
  place: FoundPlace,
  { row, query }: { readonly row: Row; readonly query: string },
): number {
  if (row.kind !== 'text') return place.nth;
  const { start, prefix } = row.chunk;
  const before = places.filter(
    ({ turnId, index, offset }) =>
      turnId === place.turnId && index === place.index && offset >= start && offset < place.offset,
  );
  // The head of a table shows again in each row.
  return offsetsOf(prefix, query).length + before.length;
}
