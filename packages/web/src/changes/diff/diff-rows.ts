import { type DiffLine, type DiffSection, splitRows } from '../../chat/diff/diff-model.ts';
import type { Side } from '../../comments/place-threads.ts';

/** Lines of one version, from 1, both included. */
export interface LineSpan {
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

/** Successive changed lines. */
export interface Hunk {
  /** From 0. */
  readonly index: number;
  /** Key of the first row. */
  readonly rowKey: string;
  /** Absent: no line was removed, or added. */
  readonly before: LineSpan | undefined;
  readonly after: LineSpan | undefined;
}

/** How many lines of a fold show at its start and its end. */
export interface OpenedFold {
  readonly top: number;
  readonly bottom: number;
}

/** A row of a diff. Every key is unique in the diff. */
export type DiffRow =
  | {
      readonly kind: 'fold';
      readonly key: string;
      /** Names the fold in `opened`. */
      readonly fold: string;
      /** Lines that are hidden. */
      readonly count: number;
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  | {
      readonly kind: 'lines';
      readonly key: string;
      /** The same line twice, or one of them for a changed line; in a unified diff one line. */
      readonly before: DiffLine | undefined;
      readonly after: DiffLine | undefined;
      /** Index of the hunk that begins here. */
      readonly startsHunk: number | undefined;
    }
  | { readonly kind: 'below'; readonly key: string; readonly side: Side; readonly line: number };

interface RowOptions {
  readonly layout: 'unified' | 'split';
  readonly opened: ReadonlyMap<string, OpenedFold>;
  /** Lines that have comments or an editor below them: `after 12`. */
  readonly below: ReadonlySet<string>;
}

/** The name of a line in `RowOptions.below`. */
export const lineKey = (side: Side, line: number): string => `${side} ${line}`;

/** The rows and hunks of a diff. */
export function diffRows(
  sections: readonly DiffSection[],
  { layout, opened, below }: RowOptions,
): { readonly rows: readonly DiffRow[]; readonly hunks: readonly Hunk[] } {
  const rows: DiffRow[] = [];
  const hunks: Hunk[] = [];
  let open: { index: number; rowKey: string; before?: LineSpan; after?: LineSpan } | undefined;
  const endHunk = (): void => {
    if (open !== undefined) hunks.push({ ...open, before: open.before, after: open.after });
    open = undefined;
  };
  const addLine = (before: DiffLine | undefined, after: DiffLine | undefined): void => {
    const key = `${before?.oldNumber ?? ''}:${after?.newNumber ?? ''}`;
    const isChange = before?.kind !== 'same' && after?.kind !== 'same';
    let startsHunk: number | undefined;
    if (!isChange) endHunk();
    else {
      if (open === undefined) {
        open = { index: hunks.length, rowKey: key };
        startsHunk = open.index;
      }
      const removed = before?.oldNumber;
      const added = after?.newNumber;
      if (removed !== undefined) open.before = extended(open.before, 'before', removed);
      if (added !== undefined) open.after = extended(open.after, 'after', added);
    }
    rows.push({ kind: 'lines', key, before, after, startsHunk });
    for (const [side, line] of [
      ['before', before?.kind === 'same' ? undefined : before?.oldNumber],
      ['after', after?.newNumber],
    ] as const)
      if (line !== undefined && below.has(lineKey(side, line)))
        rows.push({ kind: 'below', key: `below ${lineKey(side, line)}`, side, line });
  };
  const addLines = (lines: readonly DiffLine[]): void => {
    if (layout === 'split') for (const row of splitRows(lines)) addLine(row.old, row.new);
    else
      for (const line of lines)
        addLine(line.kind === 'added' ? undefined : line, line.kind === 'removed' ? undefined : line);
  };
  sections.forEach((section, index) => {
    if (section.kind === 'lines') return addLines(section.lines);
    const fold = foldName(section);
    const { top, bottom } = opened.get(fold) ?? { top: 0, bottom: 0 };
    const { lines } = section;
    if (top + bottom >= lines.length) return addLines(lines);
    addLines(lines.slice(0, top));
    rows.push({
      kind: 'fold',
      key: `fold ${fold}`,
      fold,
      count: lines.length - top - bottom,
      isFirst: index === 0,
      isLast: index === sections.length - 1,
    });
    addLines(lines.slice(lines.length - bottom));
  });
  endHunk();
  return { rows, hunks };
}

const extended = (span: LineSpan | undefined, side: Side, line: number): LineSpan =>
  span === undefined ? { side, from: line, to: line } : { ...span, to: line };

const foldName = ({ lines }: DiffSection): string => `${lines[0]?.oldNumber}:${lines[0]?.newNumber}`;

/** The folds that hide a line, opened so far that it shows. */
export function withLineShown(
  sections: readonly DiffSection[],
  opened: ReadonlyMap<string, OpenedFold>,
  { side, line }: { readonly side: Side; readonly line: number },
): ReadonlyMap<string, OpenedFold> {
  const number = side === 'before' ? 'oldNumber' : 'newNumber';
  for (const section of sections) {
    if (section.kind !== 'fold') continue;
    const at = section.lines.findIndex((each) => each[number] === line);
    if (at === -1) continue;
    const name = foldName(section);
    const { top, bottom } = opened.get(name) ?? { top: 0, bottom: 0 };
    if (at < top || at >= section.lines.length - bottom) return opened;
    const context = 3;
    return new Map(opened).set(name, {
      top: at < section.lines.length / 2 ? at + context : top,
      bottom: at < section.lines.length / 2 ? bottom : section.lines.length - at + context,
    });
  }
  return opened;
}

/** The same for lines that have something below them; see `lineKey`. */
export function withLinesShown(
  sections: readonly DiffSection[],
  opened: ReadonlyMap<string, OpenedFold>,
  below: ReadonlySet<string>,
): ReadonlyMap<string, OpenedFold> {
  let all = opened;
  for (const key of below) {
    const [side, line] = key.split(' ');
    all = withLineShown(sections, all, { side: side === 'before' ? 'before' : 'after', line: Number(line) });
  }
  return all;
}

/** A line that can be selected. */
export interface SelectableLine {
  readonly side: Side;
  readonly number: number;
  readonly rowKey: string;
  readonly line: DiffLine;
}

/** The selectable lines of rows, in their order. In a unified diff unchanged lines are those after; in a split one `side` chooses. */
export function selectableLines(rows: readonly DiffRow[], side: Side | 'both'): SelectableLine[] {
  return rows.flatMap((row): SelectableLine[] => {
    if (row.kind !== 'lines') return [];
    const old =
      row.before?.oldNumber === undefined
        ? []
        : [{ side: 'before' as const, number: row.before.oldNumber, rowKey: row.key, line: row.before }];
    const now =
      row.after?.newNumber === undefined
        ? []
        : [{ side: 'after' as const, number: row.after.newNumber, rowKey: row.key, line: row.after }];
    if (side === 'before') return old;
    if (side === 'after') return now;
    return now.length > 0 ? now : old;
  });
}
