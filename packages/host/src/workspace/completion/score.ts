import type { PathIndex } from './path-index.ts';

/** Points for a character of the query, and for where it stands. */
const MATCH = 16;
const GAP_START = 3;
const GAP_NEXT = 1;
const CONSECUTIVE = 6;
const AFTER_SLASH = 9;
const AFTER_SEPARATOR = 8;
/** At most `CONSECUTIVE`: `perfectScore` relies on it. */
const CAMEL = 6;
/** Factor for the place of the first character. */
const FIRST = 2;
/** Points for a match that lies in the last segment as a whole. */
export const IN_BASE = 12;

const NONE = Number.NEGATIVE_INFINITY;
const SLASH = 47;

/** The score of a path whose last segment begins with the query. No path scores higher: a gap costs more than the place behind it brings. */
export function perfectScore(query: Uint16Array): number {
  let score = IN_BASE + AFTER_SLASH * FIRST + query.length * MATCH;
  for (let next = 1; next < query.length; next += 1) {
    const before = query[next - 1] ?? 0;
    if (before === SLASH) score += AFTER_SLASH;
    else score += isSeparator(before) ? AFTER_SEPARATOR : CONSECUTIVE;
  }
  return score;
}

/** A query by `foldQuery`, and its `maskOf`. */
export interface FoldedQuery {
  readonly folded: Uint16Array;
  readonly mask: number;
}

/**
 * How well an entry matches a query; -Infinity when it does not match. `isBaseOnly`: a match counts only when it lies in the last
 * segment.
 */
export function scoreOf(
  index: PathIndex,
  entry: number,
  { folded: query, mask }: FoldedQuery,
  isBaseOnly: boolean,
): number {
  if (((index.masks[entry] ?? 0) & mask) !== mask) return NONE;
  const end = index.ends[entry] ?? 0;
  const base = index.bases[entry] ?? 0;
  if (((index.baseMasks[entry] ?? 0) & mask) === mask) {
    const score = matchScore(index, query, base, end);
    if (score !== NONE) return score + IN_BASE;
  }
  return isBaseOnly ? NONE : matchScore(index, query, index.starts[entry] ?? 0, end);
}

/**
 * The points of the first place where the query's characters stand in order: the first end of a match from the left, and from there the
 * nearest beginning.
 */
function matchScore(index: PathIndex, query: Uint16Array, from: number, to: number): number {
  const { folded } = index;
  const { length } = query;
  let at = from;
  for (let next = 0; next < length; next += 1) {
    const wanted = query[next];
    while (at < to && folded[at] !== wanted) at += 1;
    if (at >= to) return NONE;
    at += 1;
  }
  let start = at;
  for (let next = length - 1; next >= 0; ) {
    start -= 1;
    if (folded[start] === query[next]) next -= 1;
  }
  let score = 0;
  let isConsecutive = false;
  for (let next = 0, place = start; next < length; place += 1) {
    if (folded[place] === query[next]) {
      const bonus = placeBonus(index, place, from);
      score += MATCH;
      if (next === 0) score += bonus * FIRST;
      else score += isConsecutive && bonus < CONSECUTIVE ? CONSECUTIVE : bonus;
      isConsecutive = true;
      next += 1;
    } else {
      score -= isConsecutive ? GAP_START : GAP_NEXT;
      isConsecutive = false;
    }
  }
  return score;
}

function placeBonus({ folded, text }: PathIndex, place: number, from: number): number {
  if (place === from) return AFTER_SLASH;
  const before = folded[place - 1] ?? 0;
  if (before === SLASH) return AFTER_SLASH;
  if (isSeparator(before)) return AFTER_SEPARATOR;
  if (before < 97 || before > 122) return 0;
  const isCapital = text.charCodeAt(place) !== folded[place];
  return isCapital && text.charCodeAt(place - 1) === before ? CAMEL : 0;
}

/** Whether a character is punctuation such as a space, `-`, `.` or `_`. */
const isSeparator = (unit: number): boolean => unit < 48 || unit === 95;
