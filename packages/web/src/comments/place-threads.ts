import type { Annotation, URI } from '@agenthost/protocol';

/** A version of a file in a diff. */
export type Side = 'before' | 'after';

/** The text that comments are placed in. */
export interface ShownFile {
  /** URI of the file after the change. */
  readonly uri: URI;
  /** URI before a rename. Absent: the same. */
  readonly oldUri?: URI | undefined;
  /** Lines without their ends. Absent: there is no such version. */
  readonly before?: readonly string[] | undefined;
  readonly after?: readonly string[] | undefined;
  /** The turn whose version is shown. Absent: the present version. */
  readonly turnId?: string | undefined;
}

/** Comments below one line of a version. */
export interface PlacedThreads {
  readonly side: Side;
  /** From 1. */
  readonly line: number;
  readonly annotations: readonly Annotation[];
}

/** The comments of a file, by line; `elsewhere` has those whose lines this version does not have, and those on the whole file. */
export function placeThreads(
  annotations: readonly Annotation[],
  file: ShownFile,
): { readonly placed: readonly PlacedThreads[]; readonly elsewhere: readonly Annotation[] } {
  const placed = new Map<string, { side: Side; line: number; annotations: Annotation[] }>();
  const elsewhere: Annotation[] = [];
  for (const annotation of annotations) {
    if (annotation.resource !== file.uri && annotation.resource !== file.oldUri) continue;
    const place = placeOf(annotation, file);
    if (place === undefined) {
      elsewhere.push(annotation);
      continue;
    }
    const key = `${place.side} ${place.line}`;
    const entry = placed.get(key) ?? { ...place, annotations: [] };
    entry.annotations.push(annotation);
    placed.set(key, entry);
  }
  return { placed: Array.from(placed.values()), elsewhere };
}

function placeOf(
  annotation: Annotation,
  file: ShownFile,
): { readonly side: Side; readonly line: number } | undefined {
  const removed = removedLinesOf(annotation);
  if (removed !== undefined) {
    const line = file.before && findLines(file.before, removed.quote.split('\n'), removed.line);
    return line === undefined
      ? undefined
      : { side: 'before', line: line + removed.quote.split('\n').length - 1 };
  }
  const { range, origin, 'x-anchor': anchor } = annotation;
  if (range === undefined || file.after === undefined) return undefined;
  const last = lastLineOf(range);
  if (anchor !== undefined) {
    const quoted = anchor.quote.split('\n');
    const found = findLines(file.after, quoted, range.start.line + 1);
    return found === undefined ? undefined : { side: 'after', line: found + quoted.length - 1 };
  }
  // Without a quote the numbers say nothing about another version.
  if (origin.turnId !== file.turnId || last >= file.after.length) return undefined;
  return { side: 'after', line: last + 1 };
}

/** The last line of a range, from 0. */
function lastLineOf({ start, end }: NonNullable<Annotation['range']>): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}

/** The first line, from 1, of the place of `wanted` that is nearest to line `near`; line ends do not count. */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  near: number,
): number | undefined {
  let best: number | undefined;
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (!wanted.every((line, index) => withoutEnd(lines[at + index]) === withoutEnd(line))) continue;
    if (best === undefined || Math.abs(at + 1 - near) < Math.abs(best - near)) best = at + 1;
  }
  return best;
}

const withoutEnd = (line: string | undefined): string | undefined => line?.replace(/\r$/, '');

/** Lines that a change removed, which a comment quotes. */
export interface RemovedLines {
  /** From 1, in the version before the change. */
  readonly line: number;
  readonly quote: string;
}

/** Key of the quoted lines in `_meta` of an annotation. */
export const REMOVED_LINES = 'removedLines';

/** The removed lines that a comment is about. `undefined`: it is about present ones. */
export function removedLinesOf({ _meta }: Annotation): RemovedLines | undefined {
  const found = _meta?.[REMOVED_LINES];
  if (typeof found !== 'object' || found === null) return undefined;
  const { line, quote } = Object.fromEntries(Object.entries(found));
  return typeof line === 'number' && typeof quote === 'string' ? { line, quote } : undefined;
}
