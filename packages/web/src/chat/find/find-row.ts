import type { Row } from '../transcript/rows.ts';
import type { FoundPlace } from './find-model.ts';

/** The row that shows a place. */
export function rowOfPlace(rows: readonly Row[], { turnId, index, offset }: FoundPlace): Row | undefined {
  return rows.find((row) => {
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
}

/** Number of a place among those in its row, from 0. Long texts have several rows. */
export function numberOfPlace(places: readonly FoundPlace[], place: FoundPlace, row: Row): number {
  if (row.kind !== 'text') return place.nth;
  const { start } = row.chunk;
  return places.filter(
    ({ turnId, index, offset }) =>
      turnId === place.turnId && index === place.index && offset >= start && offset < place.offset,
  ).length;
}
