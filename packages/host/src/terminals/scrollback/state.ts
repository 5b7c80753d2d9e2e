import type { IBuffer, Terminal } from '@xterm/headless';
import { linkOf, PLAIN_STYLE, sgr, styleOf } from './attributes.ts';
import { type Charset, type CoreBuffer, type EmulatorCore, emulatorCore } from './internals.ts';
import type { Remembered } from './remembered.ts';
import { RowWriter } from './rows.ts';

/** A terminal as text. Fed to a fresh terminal of the same size, `screen + state` gives the same cells, cursor and modes. */
export interface Serialized {
  /** Lines of the normal screen with its scrollback. */
  readonly screen: string;
  /**
   * Everything else: the alternate screen, tab stops, margins, saved cursors, charsets, modes, the cursor, and the style that
   * it writes in. Ends with `style`.
   */
  readonly state: string;
  /** The style at the end, alone. */
  readonly style: string;
  /**
   * Modes and the like without cells and cursor, when the terminal is plain: text that is written then scrolls up from the
   * last line and nothing else. `undefined` when it is not.
   */
  readonly plainModes: string | undefined;
}

/** Writes a terminal down; see `Serialized`. `remembered`: what the emulator itself forgets. */
export function serialize(terminal: Terminal, remembered: Remembered): Serialized {
  const core = emulatorCore(terminal);
  const rows = new RowWriter(terminal);
  const { normal, alternate, active } = terminal.buffer;
  const isAlternate = active.type === 'alternate';
  const screen = rows.write(normal);
  const before = isAlternate ? behind(terminal, core.buffers.normal) + rows.write(alternate) : '';
  const coreBuffer = isAlternate ? core.buffers.alt : core.buffers.normal;
  const sets = charsets(core);
  // Restoring a cursor brings its charset, not where that is designated.
  const isRestored =
    core._charsetService.charset !== core._charsetService._charsets[core._charsetService.glevel];
  const settings =
    stops(terminal, coreBuffer) +
    margins(terminal, coreBuffer) +
    saved(coreBuffer) +
    (isRestored ? `${sets}\x1b8` : '');
  const cursor = cursorOf(terminal, coreBuffer, active, rows);
  const modes = (isRestored ? '' : sets) + modesOf(terminal, core) + remembered.sequences();
  const writing = core._inputHandler._curAttrData;
  const style = sgr(styleOf(writing)) + (linkOf(writing) === 0 ? '' : remembered.link);
  return {
    screen,
    state: before + settings + cursor + modes + style,
    style,
    plainModes: isPlain(terminal, core)
      ? `${settings === '' ? '' : `${settings}\x1b[m\x1b[H`}${modes}`
      : undefined,
  };
}

function isPlain(terminal: Terminal, core: EmulatorCore): boolean {
  const { normal } = core.buffers;
  const { modes } = terminal;
  return (
    terminal.buffer.active.type === 'normal' &&
    normal.scrollTop === 0 &&
    normal.scrollBottom === terminal.rows - 1 &&
    !modes.originMode &&
    !modes.insertMode &&
    modes.wraparoundMode &&
    !modes.reverseWraparoundMode &&
    core._charsetService.charset === undefined &&
    core._inputHandler._curAttrData.extended.urlId === 0
  );
}

/** What the normal screen keeps while the alternate one is shown, and the way there. */
const behind = (terminal: Terminal, normal: CoreBuffer): string =>
  stops(terminal, normal) +
  margins(terminal, normal) +
  placed(normal) +
  '\x1b[?1049h\x1b(B\x1b[m\x1b[2J\x1b[H';

const goTo = (x: number, y: number): string => `\x1b[${y + 1};${x + 1}H`;

/** To where a saved cursor is, in its style and charset. */
function placed(buffer: CoreBuffer): string {
  const charset = designator(buffer.savedCharset);
  return (
    goTo(buffer.savedX, Math.max(buffer.savedY - buffer.ybase, 0)) +
    sgr(styleOf(buffer.savedCurAttrData)) +
    (charset === 'B' ? '' : `\x1b(${charset}`)
  );
}

function saved(buffer: CoreBuffer): string {
  const { savedX, savedY, savedCurAttrData, savedCharset } = buffer;
  const isDefault =
    savedX === 0 &&
    savedY <= buffer.ybase &&
    savedCharset === undefined &&
    sgr(styleOf(savedCurAttrData)) === sgr(PLAIN_STYLE);
  if (isDefault) return '';
  return `${placed(buffer)}\x1b7${savedCharset === undefined ? '' : '\x1b(B'}\x1b[m`;
}

function stops(terminal: Terminal, { tabs }: CoreBuffer): string {
  const set: number[] = [];
  let isDefault = true;
  for (let x = 0; x < terminal.cols; x++) {
    const isSet = tabs[x] === true;
    if (isSet) set.push(x);
    if (isSet !== (x % 8 === 0)) isDefault = false;
  }
  return isDefault ? '' : `\x1b[3g${set.map((x) => `\x1b[${x + 1}G\x1bH`).join('')}`;
}

const margins = (terminal: Terminal, { scrollTop, scrollBottom }: CoreBuffer): string =>
  scrollTop === 0 && scrollBottom === terminal.rows - 1 ? '' : `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;

/** Moves the cursor; behind a line's last column only writing a character there puts it. */
function cursorOf(terminal: Terminal, core: CoreBuffer, buffer: IBuffer, rows: RowWriter): string {
  const { cursorX, cursorY } = buffer;
  const isOrigin = terminal.modes.originMode;
  const y = isOrigin ? Math.max(cursorY - core.scrollTop, 0) : cursorY;
  const origin = isOrigin ? '\x1b[?6h' : '';
  if (cursorX < terminal.cols) return origin + goTo(cursorX, y);
  const line = buffer.getLine(buffer.baseY + cursorY);
  if (line === undefined) return origin;
  const last = terminal.cols - (line.getCell(terminal.cols - 1)?.getWidth() === 0 ? 2 : 1);
  return origin + goTo(last, y) + rows.lineEnd(line, last);
}

/** The final character that designates a charset. Only the ones that programs use are told apart. */
function designator(charset: Charset | undefined): string {
  if (charset === undefined) return 'B';
  return charset['q'] === undefined ? 'A' : '0';
}

const SHIFTS = ['', '\x0e', '\x1bn', '\x1bo'];
const SLOTS = ['(', ')', '*', '+'];

function charsets({ _charsetService: service }: EmulatorCore): string {
  let text = '';
  for (const [slot, charset] of service._charsets.entries()) {
    const letter = designator(charset);
    if (letter !== 'B') text += `\x1b${SLOTS[slot] ?? '('}${letter}`;
  }
  return text + (SHIFTS[service.glevel] ?? '');
}

const MOUSE = { none: '', x10: '?9', vt200: '?1000', drag: '?1002', any: '?1003' } as const;
const ENCODINGS: Readonly<Record<string, string>> = { SGR: '?1006', SGR_PIXELS: '?1016' };
const CURSORS = { block: 2, underline: 4, bar: 6 } as const;

function modesOf(terminal: Terminal, { coreService, coreMouseService }: EmulatorCore): string {
  const { modes } = terminal;
  const set = [
    modes.applicationCursorKeysMode && '?1',
    modes.bracketedPasteMode && '?2004',
    modes.sendFocusMode && '?1004',
    modes.reverseWraparoundMode && '?45',
    MOUSE[modes.mouseTrackingMode],
    ENCODINGS[coreMouseService.activeEncoding],
    modes.insertMode && '4',
  ].filter((mode) => typeof mode === 'string' && mode !== '');
  const { cursorStyle, cursorBlink } = coreService.decPrivateModes;
  return (
    (modes.applicationKeypadMode ? '\x1b=' : '') +
    set.map((mode) => `\x1b[${mode}h`).join('') +
    (modes.wraparoundMode ? '' : '\x1b[?7l') +
    (terminal.options.convertEol ? '\x1b[20h' : '') +
    (coreService.isCursorHidden ? '\x1b[?25l' : '') +
    (cursorStyle === undefined ? '' : `\x1b[${CURSORS[cursorStyle] - (cursorBlink ? 1 : 0)} q`)
  );
}
