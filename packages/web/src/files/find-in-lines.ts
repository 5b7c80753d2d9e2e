import type { DiffLine, MarkedRange } from '../chat/diff/diff-model.ts';

/** A match in a file. */
export interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly range: MarkedRange;
}

/** More matches are not counted. */
const MAX_MATCHES = 10_000;

/** The matches of a text in lines, without regard to case. */
export function findInLines(lines: readonly string[], query: string): LineMatch[] {
  const wanted = query.toLowerCase();
  const matches: LineMatch[] = [];
  if (wanted === '') return matches;
  lines.forEach((line, index) => {
    const lower = line.toLowerCase();
    // A few characters change their length in lower case; their line is searched as it is.
    const searched = lower.length === line.length ? lower : line;
    for (
      let at = searched.indexOf(wanted);
      at !== -1 && matches.length < MAX_MATCHES;
      at = searched.indexOf(wanted, at + wanted.length)
    )
      matches.push({ line: index + 1, range: { start: at, end: at + wanted.length } });
  });
  return matches;
}

/** The lines of a file, with matches marked. */
export function markedLines(lines: readonly string[], matches: readonly LineMatch[]): DiffLine[] {
  const marks = new Map<number, MarkedRange[]>();
  for (const { line, range } of matches) marks.set(line, [...(marks.get(line) ?? []), range]);
  return lines.map((content, index): DiffLine => {
    const found = marks.get(index + 1);
    return {
      kind: 'same',
      text: content,
      newNumber: index + 1,
      ...(found === undefined ? {} : { marks: found }),
    };
  });
}
