import type { AnnotationAnchor, TextRange } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type FileLines, lineKey, squeezed, wordsIn } from './file-lines.ts';

/** Lines in front of and behind the annotated ones that an anchor remembers. */
const CONTEXT_LINES = 3;
/** Longest text that is followed, in UTF-16 code units. It is part of the state of each client. */
const MAX_QUOTE_LENGTH = 16 * 1024;
/** Least share of the surrounding lines that must be there. */
const LEAST_SHARE = 0.5;
/** The same where the lines are in fewer places than before. */
const SHARE_OF_FEWER = 0.75;
/** Word characters of a text that is recognized without its surroundings if it occurs only once. */
const TELLING_LENGTH = 20;
/** Least word characters of changed lines that are recognized by their likeness. */
const LIKENESS_LENGTH = 8;
/** Least likeness of changed lines, from 0 to 1. */
const LEAST_LIKENESS = 0.7;
/** Longest text that is compared with changed lines, in UTF-16 code units: each comparison takes about a millisecond. */
const MAX_LIKENESS_LENGTH = 4 * 1024;
/** Places between known surroundings that are compared with the changed lines, the nearest ones. */
const MAX_SPANS = 20;
/** Places of one line that are looked at, the nearest ones: a file may have a million empty lines. */
const MAX_PLACES = 1_000;

/** The first and the last line of a part of a file, from 0. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * The anchor of a range: its lines and those around it. `undefined` if the file has no such lines, if they are too long, or if the range is no
 * valid one.
 */
export function makeAnchor(file: FileLines, range: TextRange): AnnotationAnchor | undefined {
  const span = spanOf(range);
  const { lines } = file;
  if (span === undefined || span.first >= lines.length) return undefined;
  const last = Math.min(span.last, lines.length - 1);
  const quote = lines.slice(span.first, last + 1).join('\n');
  if (quote.length > MAX_QUOTE_LENGTH) return undefined;
  const copies = placesOf(file, lines.slice(span.first, last + 1), span.first).length;
  return {
    quote,
    ...(copies > 1 ? { copies } : {}),
    linesBefore: lines.slice(Math.max(0, span.first - CONTEXT_LINES), span.first).map(lineKey),
    linesAfter: lines.slice(last + 1, last + 1 + CONTEXT_LINES).map(lineKey),
  };
}

/**
 * The present range of anchored lines that were last seen at `range`; `undefined` if the file no longer has them. Finds the lines as they were,
 * then with other white space, then changed lines between the lines that surrounded them. A text that occurs several times, or that says
 * little, such as a bracket, is found only with half of its surroundings, and with most of them if it is in fewer places than before.
 */
export function findAnchor(
  file: FileLines,
  anchor: AnnotationAnchor,
  range: TextRange,
): TextRange | undefined {
  const quoted = anchor.quote.split('\n');
  const before = spanOf(range);
  if (before === undefined) return undefined;
  const exact = findLines(file, quoted, anchor, before.first);
  if (exact !== undefined) {
    const isSameHeight = before.last - before.first === quoted.length - 1;
    return isSameHeight ? movedBy(range, exact - before.first) : wholeLines(file, spanFrom(exact, quoted));
  }
  const loose = findLines(file.squeezed, quoted.map(squeezed), squeezedContext(anchor), before.first);
  if (loose !== undefined) return wholeLines(file, spanFrom(loose, quoted));
  const changed = findChanged(file, quoted, anchor, before.first);
  return changed && wholeLines(file, changed);
}

/** The lines of a range. An end at the start of a line does not include that line. `undefined`: positions that no text has. */
function spanOf({ start, end }: TextRange): Span | undefined {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const numbers = [start.line, start.character, end.line, end.character];
  return numbers.every((each) => Number.isSafeInteger(each) && each >= 0) && last >= start.line
    ? { first: start.line, last }
    : undefined;
}

const spanFrom = (first: number, quoted: readonly string[]): Span => ({
  first,
  last: first + quoted.length - 1,
});

const movedBy = ({ start, end }: TextRange, lineCount: number): TextRange => ({
  start: { ...start, line: start.line + lineCount },
  end: { ...end, line: end.line + lineCount },
});

const wholeLines = ({ lines }: FileLines, { first, last }: Span): TextRange => ({
  start: { line: first, character: 0 },
  end: { line: last, character: lines[last]?.length ?? 0 },
});

/** The line at which these lines begin; of several places the one with most of the surroundings, then the nearest one. */
function findLines(
  file: FileLines,
  quoted: readonly string[],
  anchor: Omit<AnnotationAnchor, 'quote'>,
  near: number,
): number | undefined {
  const places = placesOf(file, quoted, near);
  const around = weighContext(anchor, quoted.length);
  const most = around.reduce((sum, { weight }) => sum + weight, 0);
  let best: { readonly first: number; readonly weight: number } | undefined;
  for (const first of places) {
    let weight = 0;
    for (const each of around)
      if (lineKey(file.lines[first + each.offset] ?? '\n') === each.line) weight += each.weight;
    const isNearer = best !== undefined && Math.abs(first - near) < Math.abs(best.first - near);
    if (best === undefined || weight > best.weight || (weight === best.weight && isNearer))
      best = { first, weight };
  }
  if (best === undefined) return undefined;
  const { copies = 1 } = anchor;
  if (most === 0) return places.length === 1 && copies === 1 ? best.first : undefined;
  const isOnly = places.length === 1 && copies === 1;
  if (isOnly && wordsIn(quoted.join('\n')) >= TELLING_LENGTH) return best.first;
  // The place that is missing may be the annotated one.
  const share = places.length < copies ? SHARE_OF_FEWER : LEAST_SHARE;
  return best.weight >= most * share ? best.first : undefined;
}

/** The lines at which these lines begin. */
const placesOf = (file: FileLines, quoted: readonly string[], near: number): readonly number[] =>
  nearest(file.placesOf(quoted[0] ?? ''), near).filter((first) =>
    quoted.every((line, index) => file.lines[first + index] === line),
  );

/** The places of a sorted list that are nearest to a line, in order. */
function nearest(places: readonly number[], near: number): readonly number[] {
  if (places.length <= MAX_PLACES) return places;
  const next = places.findIndex((place) => place >= near);
  const middle = next === -1 ? places.length : next;
  const start = Math.min(Math.max(0, middle - MAX_PLACES / 2), places.length - MAX_PLACES);
  return places.slice(start, start + MAX_PLACES);
}

/**
 * The surrounding lines by their distance from the first quoted line. Nearer lines weigh more. Empty lines and brackets weigh less, since they are in
 * many places.
 */
function weighContext(
  { linesBefore, linesAfter }: Pick<AnnotationAnchor, 'linesBefore' | 'linesAfter'>,
  lineCount: number,
): { readonly line: string; readonly offset: number; readonly weight: number }[] {
  const placed = [
    ...linesBefore.map((line, index) => ({
      line,
      offset: index - linesBefore.length,
      far: linesBefore.length - 1 - index,
    })),
    ...linesAfter.map((line, index) => ({ line, offset: lineCount + index, far: index })),
  ];
  return placed.map(({ line, offset, far }) => ({
    line,
    offset,
    weight: (CONTEXT_LINES - far) * (wordsIn(line) >= 2 ? 1 : 0.25),
  }));
}

/** Lines that resemble the quoted ones, between the line in front of them and the one behind. */
function findChanged(
  file: FileLines,
  quoted: readonly string[],
  { linesBefore, linesAfter }: AnnotationAnchor,
  near: number,
): Span | undefined {
  const [front, back] = [linesBefore.at(-1), linesAfter[0]];
  // Without any surroundings, everything would be between them.
  if (front === undefined && back === undefined) return undefined;
  const text = quoted.map(squeezed).join('\n');
  if (wordsIn(text) < LIKENESS_LENGTH || text.length > MAX_LIKENESS_LENGTH) return undefined;
  const maxCount = quoted.length * 2 + 4;
  const fronts = front === undefined ? [-1] : nearest(file.placesOf(front), near);
  const spans: Span[] = [];
  for (const before of fronts.toSorted((a, b) => Math.abs(a + 1 - near) - Math.abs(b + 1 - near))) {
    if (spans.length >= MAX_SPANS) break;
    for (let last = before + 1; last <= before + maxCount && last < file.lines.length; last += 1) {
      const behind = file.lines[last + 1];
      const isEnd =
        back === undefined ? behind === undefined : behind !== undefined && lineKey(behind) === back;
      if (isEnd) spans.push({ first: before + 1, last });
    }
  }
  let best: { readonly span: Span; readonly likeness: number } | undefined;
  for (const span of spans) {
    const found = file.lines
      .slice(span.first, span.last + 1)
      .map(squeezed)
      .join('\n');
    // The same text was found before, and taken for a copy.
    const isComparable = found !== text && found.length < text.length * 2;
    const likeness = isComparable ? likenessOf(text, found) : 0;
    if (likeness >= LEAST_LIKENESS && likeness > (best?.likeness ?? 0)) best = { span, likeness };
  }
  return best?.span;
}

/** How much two texts have in common: the Sørensen–Dice coefficient of their pairs of characters, from 0 to 1. */
function likenessOf(one: string, other: string): number {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < one.length; index += 1) {
    const pair = one.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let index = 0; index + 1 < other.length; index += 1) {
    const pair = other.slice(index, index + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    shared += 1;
  }
  const total = one.length + other.length - 2;
  return total <= 0 ? 0 : (2 * shared) / total;
}

const squeezedContext = ({ linesBefore, linesAfter, copies }: AnnotationAnchor) => ({
  ...defined({ copies }),
  linesBefore: linesBefore.map(squeezed),
  linesAfter: linesAfter.map(squeezed),
});
