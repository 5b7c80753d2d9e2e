import { BINDINGS, CONTEXT_TITLES, EDITING_KEYS, type KeyContext, keyRows } from '../keys/bindings.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { wrapLine } from '../text/wrap.ts';

const contexts = Object.keys(BINDINGS).filter((name): name is KeyContext => name in CONTEXT_TITLES);
const labelCells = 18;

/** All keys there are as lines, those of one place first. */
export function helpLines(width: number, first?: KeyContext): Line[] {
  const ordered =
    first === undefined ? contexts : [first, ...contexts.filter((context) => context !== first)];
  const row = ([label, hint]: readonly [string, string]): Line[] =>
    wrapLine(line(hint), width, {
      first: [span(`  ${label.padEnd(labelCells)}`, { bold: true })],
      rest: [span(' '.repeat(labelCells + 2))],
    });
  return [
    ...ordered.flatMap((context) => [
      line(CONTEXT_TITLES[context], { bold: true, color: 'cyan' }),
      ...keyRows(context).flatMap(row),
      EMPTY_LINE,
    ]),
    line('Wherever text is typed', { bold: true, color: 'cyan' }),
    ...EDITING_KEYS.flatMap(row),
  ];
}
