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
