/** The `stop` of an open span: above every ordinal. */
export const END = Number.MAX_SAFE_INTEGER;

/** Ordinals from `start` to below `stop`. */
export interface Range {
  readonly start: number;
  readonly stop: number;
}

/**
 * A part of a chat whose turns are on one *line*: the rows of `turns` with the line's name as their `chat`, at the same ordinals.
 * At most one span of a line is open (`stop` is `END`): its chat writes new turns there.
 */
export interface Span extends Range {
  readonly line: string;
}

/** The parts of `range` that no other range covers. */
export function subtract(range: Range, others: readonly Range[]): Range[] {
  let left: Range[] = [range];
  for (const other of others) {
    left = left.flatMap(({ start, stop }) =>
      [
        { start, stop: Math.min(stop, other.start) },
        { start: Math.max(start, other.stop), stop },
      ].filter((piece) => piece.start < piece.stop),
    );
  }
  return left;
}

/** The spans cut to a range, without those outside of it. */
export function clip(spans: readonly Span[], range: Range): Span[] {
  return spans
    .map(({ start, stop, line }) => ({
      start: Math.max(start, range.start),
      stop: Math.min(stop, range.stop),
      line,
    }))
    .filter(({ start, stop }) => start < stop);
}
