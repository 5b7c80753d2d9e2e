import type { DraftPart } from './draft-content.ts';

/** A replacement: `before[start, end)` became `inserted` characters. */
export interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly inserted: number;
}

/**
 * Moves the spans of attachments along with an edit of the text. An attachment whose words were changed is removed; so is one whose words were
 * deleted, and one whose word goes on. Attachments without a span stay. `cursor` is the place behind the edit, which tells equal letters apart.
 */
export function shiftSpans(
  parts: readonly DraftPart[],
  before: string,
  after: string,
  cursor: number,
): readonly DraftPart[] {
  if (before === after || parts.every(({ span }) => span === undefined)) return parts;
  return shiftBy(parts, replacedBetween(before, after, cursor), after);
}

/** Moves the spans of attachments along with a known edit; see `shiftSpans`. */
export function shiftBy(
  parts: readonly DraftPart[],
  { start, end, inserted }: Replaced,
  after: string,
): readonly DraftPart[] {
  const delta = inserted - (end - start);
  return parts.flatMap((part) => {
    const { span } = part;
    if (span === undefined || span.end < start) return [part];
    if (span.end === start) return inserted > 0 && GOES_ON.test(after.slice(start)) ? [] : [part];
    if (span.start >= end) return [{ ...part, span: { start: span.start + delta, end: span.end + delta } }];
    return [];
  });
}

/** Characters that continue a word: `@src/` becomes `@src/a`. */
const GOES_ON = /^[\p{L}\p{N}_/-]/u;

/** The smallest replacement that makes `after` of `before`; of two that are as small the one that ends at the cursor. */
function replacedBetween(before: string, after: string, cursor: number): Replaced {
  const smallest = replacedBefore(before, after, commonEnd(before, after));
  const behind = after.slice(cursor);
  if (!before.endsWith(behind)) return smallest;
  const atCursor = replacedBefore(before, after, behind.length);
  return atCursor.end - atCursor.start > smallest.end - smallest.start ? smallest : atCursor;
}

/** The replacement that keeps `tail` characters at the end. */
function replacedBefore(before: string, after: string, tail: number): Replaced {
  const most = Math.min(before.length, after.length) - tail;
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  return { start, end: before.length - tail, inserted: after.length - tail - start };
}

function commonEnd(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before[before.length - 1 - length] === after[after.length - 1 - length])
    length += 1;
  return length;
}
