import { hunkHead, type PatchFile } from '../../changes/git-patch.ts';
import { hunksOf, isBinary, textOfLine } from '../../changes/hunks.ts';
import { plain } from '../../render/plain-text.ts';

/** A row of a diff. Lines count from 0. */
export interface DiffRow {
  readonly kind: 'head' | 'context' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** Index of its hunk. Absent: the row belongs to none. */
  readonly hunk?: number;
  /** The line of the version after, or the one that follows a removed line. */
  readonly line?: number;
}

const EMPTY = new Uint8Array();

/** The diff of a file as rows of plain text. */
export function diffRows({ before, after }: PatchFile): DiffRow[] {
  if (isBinary(before?.bytes) || isBinary(after?.bytes))
    return [note(`binary: ${sizeText(before?.bytes)} before, ${sizeText(after?.bytes)} after`)];
  const rows: DiffRow[] = [];
  if (before !== undefined && after !== undefined) {
    if (before.path !== after.path) rows.push(note(`renamed from ${shown(before.path)}`));
    if (before.mode !== after.mode) rows.push(note(`mode ${before.mode} to ${after.mode}`));
  }
  const hunks = hunksOf(before?.bytes ?? EMPTY, after?.bytes ?? EMPTY);
  for (const [hunk, each] of hunks.entries()) {
    rows.push({ kind: 'head', text: hunkHead(each), hunk, line: each.newStart - 1 });
    let line = each.newStart - 1;
    for (const text of each.lines) {
      const kind = KINDS.get(text.charAt(0)) ?? 'note';
      rows.push({ kind, text: shown(textOfLine(text)), hunk, line });
      if (kind === 'context' || kind === 'added') line += 1;
    }
  }
  return rows.length === 0 ? [note('the content has not changed')] : rows;
}

const KINDS = new Map<string, DiffRow['kind']>([
  [' ', 'context'],
  ['+', 'added'],
  ['-', 'removed'],
]);

const note = (text: string): DiffRow => ({ kind: 'note', text });

const shown = (text: string): string => plain(text).replaceAll('\t', '  ').replace(/\n$/, '');

const sizeText = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? 'nothing' : `${bytes.length} bytes`;

/** The lines of the version after that the changes of a hunk touch. `undefined`: the diff has no such hunk. */
export function linesOfHunk(
  rows: readonly DiffRow[],
  hunk: number,
): { readonly first: number; readonly last: number } | undefined {
  const lines = rows.flatMap((row) =>
    row.hunk === hunk && (row.kind === 'added' || row.kind === 'removed') ? [row.line ?? 0] : [],
  );
  return lines.length === 0 ? undefined : { first: Math.min(...lines), last: Math.max(...lines) };
}

/** The first row of the next hunk, or of the one before. `undefined`: there is none. */
export function otherHunk(rows: readonly DiffRow[], at: number, by: -1 | 1): number | undefined {
  const heads = rows.flatMap(({ kind }, index) => (kind === 'head' ? [index] : []));
  return by > 0 ? heads.find((index) => index > at) : heads.findLast((index) => index < at);
}
