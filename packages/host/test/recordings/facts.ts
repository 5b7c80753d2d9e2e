import type { IBuffer, IBufferCell, Terminal } from '@xterm/headless';
import { Emulator, type Size } from '../../src/terminals/scrollback/emulator.ts';

/** The visible state of a terminal and the state that later output depends on, in a comparable form. */
export interface Facts {
  readonly active: string;
  readonly cursor: readonly [x: number, y: number];
  readonly modes: object;
  /** Settings without a field in `modes`, from the terminal's answers to queries. */
  readonly answers: readonly string[];
  /** Line by line, cell by cell: characters, width, colours and attributes. */
  readonly normal: readonly string[];
  readonly alternate: readonly string[];
}

/** Scroll region, visible cursor, mouse encodings. */
const QUERIES = ['\x1bP$qr\x1b\\', '\x1b[?25$p', '\x1b[?1006$p', '\x1b[?1016$p'];

/** An emulator with this scrollback that has read the texts in order. */
export async function viewer(
  size: Size,
  texts: readonly string[],
  scrollbackLines = 1000,
): Promise<Emulator> {
  const emulator = await Emulator.open(size, scrollbackLines);
  for (const text of texts) await emulator.feed(text);
  return emulator;
}

/** The facts, with at most the newest `lineCount` lines above the screen. */
export async function factsOf(emulator: Emulator, lineCount = Number.POSITIVE_INFINITY): Promise<Facts> {
  const { terminal } = emulator;
  const { buffer } = terminal;
  const answers: string[] = [];
  for (const query of QUERIES) answers.push(await emulator.ask(query));
  return {
    active: buffer.active.type,
    cursor: [buffer.active.cursorX, buffer.active.cursorY],
    modes: { ...terminal.modes },
    answers,
    normal: lines(terminal, buffer.normal, lineCount),
    alternate: lines(terminal, buffer.alternate, 0),
  };
}

function lines(terminal: Terminal, buffer: IBuffer, above: number): string[] {
  const result: string[] = [];
  for (let y = Math.max(0, buffer.length - terminal.rows - above); y < buffer.length; y++) {
    const line = buffer.getLine(y);
    if (line === undefined) continue;
    const cells: string[] = [];
    for (let x = 0; x < terminal.cols; x++) cells.push(fact(line.getCell(x)));
    result.push(cells.join(' ').replace(/( _)+$/, ''));
  }
  return result;
}

function fact(cell: IBufferCell | undefined): string {
  if (cell === undefined) return '?';
  const chars = cell.getChars();
  const background = cell.isBgDefault() ? '' : `${cell.getBgColorMode()}:${cell.getBgColor()}`;
  if (chars === '') return cell.getWidth() === 0 ? '+' : `_${background}`;
  const foreground = cell.isFgDefault() ? '' : `${cell.getFgColorMode()}:${cell.getFgColor()}`;
  const flags = [
    cell.isBold(),
    cell.isItalic(),
    cell.isDim(),
    cell.isUnderline(),
    cell.isBlink(),
    cell.isInverse(),
    cell.isInvisible(),
    cell.isStrikethrough(),
    cell.isOverline(),
  ].map((flag) => (flag ? '1' : '0'));
  const isPlain = background === '' && foreground === '' && !flags.includes('1');
  const look = isPlain ? '' : `{${foreground},${background},${flags.join('')}}`;
  return `${chars}${cell.getWidth() === 1 ? '' : cell.getWidth()}${look}`;
}

/** Output that makes hidden state visible: saved cursor, tab stops, margins, charsets, pending wrap. */
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
