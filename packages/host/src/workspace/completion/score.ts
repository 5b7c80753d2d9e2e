import type { PathIndex } from './path-index.ts';

/** What a match is made of, in points. */
const MATCH = 16;
const GAP_START = 3;
const GAP_NEXT = 1;
const CONSECUTIVE = 6;
const AFTER_SLASH = 9;
const AFTER_SEPARATOR = 8;
/** Not above `CONSECUTIVE`: see `perfectScore`. */
const CAMEL = 6;
/** The first character counts as its place does, twice. */
const FIRST = 2;
/** All of the query in the last segment. */
const IN_BASE = 12;
/** Larger ones are scored by the rough way alone: the exact one costs length times length. */
const MAX_CELLS = 8_192;

/** Two rows of the exact way; nothing waits while they are in use. */
const rows = [new Float64Array(MAX_CELLS), new Float64Array(MAX_CELLS)] as const;

const NONE = Number.NEGATIVE_INFINITY;
const SLASH = 47;

/** What the query gets where a last segment begins with it: nothing gets more, for a gap costs what the place behind it may bring. */
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
interface FoldedQuery {
  readonly folded: Uint16Array;
  readonly mask: number;
}

/** All that a match gets for lying in the last segment. */
export const baseScore = IN_BASE;

/**
 * How well an entry fits a folded query, roughly but soon; -Infinity when it does not. `isBaseOnly`: a match beyond
 * the last segment is of no interest.
 */
export function roughScore(
  index: PathIndex,
  entry: number,
  { folded: query, mask }: FoldedQuery,
  isBaseOnly: boolean,
): number {
  if (((index.masks[entry] ?? 0) & mask) !== mask) return NONE;
  const end = index.ends[entry] ?? 0;
  const base = index.bases[entry] ?? 0;
  if (((index.baseMasks[entry] ?? 0) & mask) === mask) {
    const score = firstMatch(index, query, base, end);
    if (score !== NONE) return score + IN_BASE;
  }
  return isBaseOnly ? NONE : firstMatch(index, query, index.starts[entry] ?? 0, end);
}

/** As `roughScore`, with the best of all ways to match. */
export function exactScore(index: PathIndex, entry: number, query: Uint16Array): number {
  const start = index.starts[entry] ?? 0;
  const base = index.bases[entry] ?? 0;
  const end = index.ends[entry] ?? 0;
  if ((end - start) * query.length > MAX_CELLS) {
    const inBase = firstMatch(index, query, base, end) + IN_BASE;
    return Math.max(inBase, firstMatch(index, query, start, end));
  }
  return Math.max(bestMatch(index, query, base, end) + IN_BASE, bestMatch(index, query, start, end));
}

/** The points of the first place where the query's characters stand in order, drawn together from its end. */
function firstMatch(index: PathIndex, query: Uint16Array, from: number, to: number): number {
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

/** The most points that any way to match gets. Row by row: the best with this character of the query at each place. */
function bestMatch(index: PathIndex, query: Uint16Array, from: number, to: number): number {
  const { folded } = index;
  const width = to - from;
  let [above, row] = rows;
  let best = NONE;
  for (let next = 0; next < query.length; next += 1) {
    const wanted = query[next];
    /** The best of the row above that lies at least one character back, less what the gap costs. */
    let gapped = NONE;
    best = NONE;
    for (let place = 0; place < width; place += 1) {
      if (place >= 2) gapped = Math.max(gapped - GAP_NEXT, (above[place - 2] ?? NONE) - GAP_START);
      let score = NONE;
      if (folded[from + place] === wanted) {
        const bonus = placeBonus(index, from + place, from);
        if (next === 0) score = MATCH + bonus * FIRST;
        else {
          const joined = (place === 0 ? NONE : (above[place - 1] ?? NONE)) + Math.max(bonus, CONSECUTIVE);
          score = MATCH + Math.max(joined, gapped + bonus);
        }
      }
      row[place] = score;
      if (score > best) best = score;
    }
    if (best === NONE) return NONE;
    [above, row] = [row, above];
  }
  return best;
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

/** Space, `-`, `.` and the like, and `_`. */
const isSeparator = (unit: number): boolean => unit < 48 || unit === 95;
