import {
  type Annotation,
  type ChangesetFile,
  type ChangesetLeftOut,
  textOf,
  type URI,
} from '@agenthost/protocol';
import { countsOf, letterOf, nameOf, remarksOf } from '../../changes/change-lines.ts';
import { leftOutLine } from '../../changes/left-out-line.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { OverlayLines } from '../app/panel.ts';
import { type Editor, layoutEditor } from '../composer/editor.ts';
import { type Line, line, type Style, span } from '../text/line.ts';
import { cutLine, justified, padLine } from '../text/wrap.ts';
import type { DiffRow } from './diff-rows.ts';

/** The changed files, the one at `at` chosen. */
export function fileLines(
  files: readonly ChangesetFile[],
  { folders, at, width }: { readonly folders: readonly URI[]; readonly at: number; readonly width: number },
): OverlayLines {
  const lines = files.map((file, index): Line => {
    const isAt = index === at;
    const left = [
      span(isAt ? '▸ ' : '  '),
      span(`${letterOf(file)} `, { color: 'cyan' }),
      ...line(nameOf(file, folders), isAt ? { inverse: true } : undefined),
    ];
    const remarks = remarksOf(file).join(', ');
    return justified(
      left,
      [span(remarks === '' ? '' : `${remarks}  `, { dim: true }), ...counts(file)],
      width,
    );
  });
  return { lines, focus: at };
}

/** Files with a line below them that names what they leave out. */
export function withLeftOut(
  { lines, ...rest }: OverlayLines,
  {
    leftOut,
    folders,
    width,
  }: {
    readonly leftOut: ChangesetLeftOut | undefined;
    readonly folders: readonly URI[];
    readonly width: number;
  },
): OverlayLines {
  const text = leftOutLine(leftOut, folders);
  if (text === undefined) return { lines, ...rest };
  return { lines: [...lines, cutLine(line(text, { dim: true }), width)], ...rest };
}

function counts(file: ChangesetFile): Line {
  const [added = '', removed] = countsOf(file).split(' ');
  if (removed === undefined) return line(added, { dim: true });
  return [span(added, { color: 'green' }), span(' '), span(removed, { color: 'red' })];
}

const STYLES: Readonly<Record<DiffRow['kind'], Style>> = {
  head: { color: 'cyan' },
  context: {},
  added: { color: 'green' },
  removed: { color: 'red' },
  note: { dim: true },
};

/** A diff with the comments below their lines, the row at `at` chosen. */
export function diffLines(
  rows: readonly DiffRow[],
  {
    comments,
    at,
    width,
  }: { readonly comments: readonly Annotation[]; readonly at: number; readonly width: number },
): OverlayLines {
  const lines: Line[] = [];
  let focus = 0;
  for (const [index, row] of rows.entries()) {
    const isAt = index === at;
    if (isAt) focus = lines.length;
    const style = STYLES[row.kind];
    const text = cutLine(line(row.text, isAt ? { ...style, inverse: true } : style), width - 2);
    lines.push([
      span(isAt ? '▸ ' : '  '),
      ...(isAt && row.text === '' ? [span(' ', { inverse: true })] : text),
    ]);
    if (row.kind === 'context' || row.kind === 'added')
      for (const comment of comments)
        if (lastLineOf(comment) === row.line)
          for (const { text: entry } of comment.entries)
            lines.push(
              cutLine([span('    ┃ '), span(oneLine(textOf(entry), 500), { color: 'yellow' })], width),
            );
  }
  return { lines: lines.length === 0 ? [line('nothing to show')] : lines, focus };
}

function lastLineOf({ range }: Annotation): number {
  if (range === undefined) return 0;
  const { start, end } = range;
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}

const EDITOR_ROWS = 12;

/** A text that is being written, below what it is about. */
export function editorLines(about: readonly Line[], editor: Editor, width: number): OverlayLines {
  const layout = layoutEditor(editor, width, EDITOR_ROWS);
  const lines = [...about, ...layout.lines.map((each) => padLine(each, width))];
  const focus = about.length + layout.row;
  return { lines, focus, cursor: { x: layout.column, y: focus } };
}
