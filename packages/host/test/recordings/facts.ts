import type { IBuffer, Terminal } from '@xterm/headless';
import { background, styleOf } from '../../src/terminals/scrollback/attributes.ts';
import { feed, openEmulator, type Size } from '../../src/terminals/scrollback/emulator.ts';
import { type Cell, emptyCell, emulatorCore } from '../../src/terminals/scrollback/internals.ts';

/** What a viewer sees and what later output depends on, in a form that two terminals can be compared by. */
export interface Facts {
  readonly active: string;
  readonly cursor: readonly [x: number, y: number];
  readonly modes: object;
  readonly other: object;
  /** Line by line, cell by cell: characters, width, colours and attributes. */
  readonly normal: readonly string[];
  readonly alternate: readonly string[];
}

/** A terminal with a screen and this much scrollback, fed with texts one after the other. */
export async function viewer(
  size: Size,
  texts: readonly string[],
  scrollbackLines = 1000,
): Promise<Terminal> {
  const terminal = await openEmulator(size, scrollbackLines);
  for (const text of texts) await feed(terminal, text);
  return terminal;
}

/** The facts, with the newest `lineCount` lines above the screen at most. */
export function factsOf(terminal: Terminal, lineCount = Number.POSITIVE_INFINITY): Facts {
  const core = emulatorCore(terminal);
  const { buffer } = terminal;
  return {
    active: buffer.active.type,
    cursor: [buffer.active.cursorX, buffer.active.cursorY],
    modes: { ...terminal.modes },
    other: {
      hidden: core.coreService.isCursorHidden,
      style: core.coreService.decPrivateModes.cursorStyle,
      mouse: core.coreMouseService.activeEncoding,
      scroll: [core.buffers.normal, core.buffers.alt].map((one) => [one.scrollTop, one.scrollBottom]),
      writing: JSON.stringify(styleOf(core._inputHandler._curAttrData)),
    },
    normal: lines(terminal, buffer.normal, lineCount),
    alternate: lines(terminal, buffer.alternate, 0),
  };
}

function lines(terminal: Terminal, buffer: IBuffer, above: number): string[] {
  const cell = emptyCell(terminal);
  const result: string[] = [];
  for (let y = Math.max(0, buffer.length - terminal.rows - above); y < buffer.length; y++) {
    const line = buffer.getLine(y);
    if (line === undefined) continue;
    const cells: string[] = [];
    for (let x = 0; x < terminal.cols; x++) {
      line.getCell(x, cell);
      cells.push(fact(cell));
    }
    result.push(cells.join(' ').replace(/( _)+$/, ''));
  }
  return result;
}

function fact(cell: Cell): string {
  const chars = cell.getChars();
  if (chars === '') return cell.getWidth() === 0 ? '+' : `_${background(cell) || ''}`;
  const { fg, bg, ext } = styleOf(cell);
  const look = fg || bg || ext ? `{${fg},${bg & ~(1 << 28)},${ext}}` : '';
  return `${chars}${cell.getWidth() === 1 ? '' : cell.getWidth()}${look}`;
}

/** Output that shows state which no cell shows: saved cursor, tab stops, margins, charsets, wrap that is pending. */
export const PROBES: readonly string[] = [
  'X',
  '\x1b8R\tT',
  'qx\x0eqx\x0f',
  '\t1\t2\t3',
  '\r\n\r\n\n\n\nlow\x1b[Aup',
  '\x1bM\x1bM\x1bM\x1bM\x1bM\x1bMtop',
  '\x1b[2;2Horigin\x1b[H*',
  'insert',
  'long '.repeat(30),
  '\x1b[?1049lback',
  '\x1b[?1047lback',
  '\x1b[K\x1b[2Xerased',
  '\x1b[999Bbottom\n\n',
  '漢字e\u0301',
];
