import { diffWordsWithSpace } from 'diff';
import type { LineChange } from '../code/code-messages.ts';

/** Part of a line, from `start` to before `end`, in UTF-16 code units. */
export interface MarkedRange {
  readonly start: number;
  readonly end: number;
}

/** A line of a diff. Line numbers begin at 1. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  /** Absent: the line was added. */
  readonly oldNumber?: number;
  /** Absent: the line was removed. */
  readonly newNumber?: number;
  readonly text: string;
  /** The words that changed. Absent: the whole line. */
  readonly marks?: readonly MarkedRange[];
}

/** Lines that show, or unchanged ones that are folded. */
export type DiffSection =
  | { readonly kind: 'lines'; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'fold'; readonly lines: readonly DiffLine[] };

/** Unchanged lines that show before and after a change. */
const CONTEXT_LINES = 3;
/** Shorter unchanged parts are not folded. */
const MIN_FOLDED_LINES = 4;
/** Words are compared in lines up to this length, in pairs up to this count, so that a diff stays quick. */
const MAX_MARKED_LENGTH = 400;
const MAX_MARKED_PAIRS = 300;

/** The sections of a diff. */
export function sectionsOf(changes: readonly LineChange[]): DiffSection[] {
  const lines = markWords(numbered(changes));
  const isShown = new Uint8Array(lines.length);
  lines.forEach((line, index) => {
    if (line.kind === 'same') return;
    const to = Math.min(lines.length, index + CONTEXT_LINES + 1);
    for (let at = Math.max(0, index - CONTEXT_LINES); at < to; at++) isShown[at] = 1;
  });
  const sections: DiffSection[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    while (to < lines.length && isShown[to] === isShown[from]) to++;
    const part = lines.slice(from, to);
    const last = sections.at(-1);
    const isFolded = isShown[from] === 0 && part.length >= MIN_FOLDED_LINES;
    if (!isFolded && last?.kind === 'lines')
      sections[sections.length - 1] = { kind: 'lines', lines: [...last.lines, ...part] };
    else sections.push({ kind: isFolded ? 'fold' : 'lines', lines: part });
    from = to;
  }
  return sections;
}

function numbered(changes: readonly LineChange[]): DiffLine[] {
  let oldNumber = 1;
  let newNumber = 1;
  return changes.flatMap(({ kind, lines }) =>
    lines.map((text): DiffLine => {
      switch (kind) {
        case 'same':
          return { kind, text, oldNumber: oldNumber++, newNumber: newNumber++ };
        case 'removed':
          return { kind, text, oldNumber: oldNumber++ };
        case 'added':
          return { kind, text, newNumber: newNumber++ };
        default:
          return kind satisfies never;
      }
    }),
  );
}

/** Marks the changed words of removed lines that were replaced by as many added ones. */
function markWords(lines: DiffLine[]): DiffLine[] {
  let pairCount = 0;
  for (let from = 0; from < lines.length; ) {
    const removed = runLength(lines, from, 'removed');
    const added = runLength(lines, from + removed, 'added');
    if (removed > 0 && removed === added && pairCount + removed <= MAX_MARKED_PAIRS) {
      pairCount += removed;
      for (let index = 0; index < removed; index++) markPair(lines, from + index, from + removed + index);
    }
    from += Math.max(1, removed + added);
  }
  return lines;
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let to = from;
  while (lines[to]?.kind === kind) to++;
  return to - from;
}

function markPair(lines: DiffLine[], oldIndex: number, newIndex: number): void {
  const before = lines[oldIndex];
  const after = lines[newIndex];
  if (before === undefined || after === undefined) return;
  if (before.text.length > MAX_MARKED_LENGTH || after.text.length > MAX_MARKED_LENGTH) return;
  const removed: MarkedRange[] = [];
  const added: MarkedRange[] = [];
  let oldAt = 0;
  let newAt = 0;
  let sameLength = 0;
  for (const word of diffWordsWithSpace(before.text, after.text)) {
    const { length } = word.value;
    if (word.added) {
      added.push({ start: newAt, end: newAt + length });
      newAt += length;
    } else if (word.removed) {
      removed.push({ start: oldAt, end: oldAt + length });
      oldAt += length;
    } else {
      if (word.value.trim() !== '') sameLength += length;
      oldAt += length;
      newAt += length;
    }
  }
  // Lines with little in common are different as a whole.
  if (sameLength * 3 < Math.max(before.text.length, after.text.length)) return;
  lines[oldIndex] = { ...before, marks: removed };
  lines[newIndex] = { ...after, marks: added };
}

/** Two lines beside each other. */
export interface SplitRow {
  readonly old: DiffLine | undefined;
  readonly new: DiffLine | undefined;
}

/** Puts removed lines beside the added ones that follow them. */
export function splitRows(lines: readonly DiffLine[]): SplitRow[] {
  const rows: SplitRow[] = [];
  for (let from = 0; from < lines.length; ) {
    const line = lines[from];
    if (line === undefined) break;
    if (line.kind === 'same') {
      rows.push({ old: line, new: line });
      from += 1;
      continue;
    }
    const removed = runLength(lines, from, 'removed');
    const added = runLength(lines, from + removed, 'added');
    for (let index = 0; index < Math.max(removed, added); index++) {
      rows.push({
        old: index < removed ? lines[from + index] : undefined,
        new: index < added ? lines[from + removed + index] : undefined,
      });
    }
    from += removed + added;
  }
  return rows;
}

/** The line ends of a text: `LF`, `CRLF`, both, or none. */
export function lineEndingOf(text: string): string {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  if (all === 0) return '–';
  if (crlf === 0) return 'LF';
  return crlf === all ? 'CRLF' : 'LF + CRLF';
}

/** Whether a text that is not empty ends without a line break. */
export const lacksFinalNewline = (text: string): boolean => text !== '' && !text.endsWith('\n');
