import type { DraftPart } from './draft-content.ts';

/** A replacement: `before[start, end)` became `inserted` characters. */
interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly inserted: number;
}

/**
 * Moves the spans of attachments along with an edit of the text. An attachment whose words were changed is removed; so is one whose words were
 * deleted, and one whose word goes on. Attachments without a span stay.
 */
export function shiftSpans(parts: readonly DraftPart[], before: string, after: string): readonly DraftPart[] {
  if (before === after || parts.every(({ span }) => span === undefined)) return parts;
  const { start, end, inserted } = replacedBetween(before, after);
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

/** The smallest replacement that makes `after` of `before`. */
function replacedBetween(before: string, after: string): Replaced {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < most - start && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  return { start, end: before.length - tail, inserted: after.length - tail - start };
}
