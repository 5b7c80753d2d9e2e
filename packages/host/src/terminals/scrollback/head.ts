import type { SerializeAddon } from '@xterm/addon-serialize';
import type { Terminal } from '@xterm/headless';
import { Emulator, type Size } from './emulator.ts';
import { ProgramSettings } from './program-settings.ts';
import { HEAD_MARK } from './trim.ts';

/** Lines above the screen that a folded head keeps. */
export const SCROLLBACK_LINES = 1000;

/** The size that programs wrote for, from `at` on. `at` is an index into a text, in UTF-16 code units. */
export interface SizeChange extends Size {
  readonly at: number;
}

/** A text and the sizes that it was written for. */
export interface FoldInput {
  readonly text: string;
  /** In order; the first is at 0. */
  readonly sizes: readonly SizeChange[];
  /** The size of the terminal now. The result is for this size. */
  readonly size: Size;
  readonly scrollbackLines: number;
  /** Limit of the lines above the screen together with the screen, in UTF-16 code units. The screen is never cut. */
  readonly maxLength: number;
}

/** A terminal as text. */
export interface FoldedTerminal {
  /** Leads a new terminal of the same size to the same cells, cursor and modes. Begins with `HEAD_MARK`. */
  readonly head: string;
  /**
   * The modes alone, if later text only scrolls up from the last line, in the default style and in ASCII. `undefined` if
   * later output may change other lines.
   */
  readonly plainModes: string | undefined;
}

/** Replaces a text by a shorter one that leads a terminal to the same screen, scrollback and modes. Rejects as `Emulator.feed` does. */
export async function fold({
  text,
  sizes,
  size,
  scrollbackLines,
  maxLength,
}: FoldInput): Promise<FoldedTerminal> {
  const emulator = await Emulator.open(sizes[0] ?? size, scrollbackLines);
  try {
    const settings = new ProgramSettings(emulator.terminal.parser);
    let at = 0;
    for (const change of sizes) {
      const end = Math.min(Math.max(change.at, at), text.length);
      await emulator.feed(text.slice(at, end));
      at = end;
      emulator.terminal.resize(change.cols, change.rows);
    }
    await emulator.feed(text.slice(at));
    emulator.terminal.resize(size.cols, size.rows);
    return await serialize(emulator, settings, maxLength);
  } finally {
    emulator.dispose();
  }
}

/** Changes the emulator: dispose of it afterwards. */
async function serialize(
  emulator: Emulator,
  settings: ProgramSettings,
  maxLength: number,
): Promise<FoldedTerminal> {
  const { terminal } = emulator;
  const { default: addons } = await import('@xterm/addon-serialize');
  const addon = new addons.SerializeAddon();
  terminal.loadAddon(addon);
  const screenAlone = { scrollback: 0, excludeModes: true };
  const normalScreen = addon.serialize({ ...screenAlone, excludeAltBuffer: true });
  const screens = addon.serialize(screenAlone);
  const modes = addon.serialize({ scrollback: 0 }).slice(screens.length) + settings.sequences();
  const margins = await marginsOf(emulator);
  const cursor = cursorOf(terminal, terminal.modes.originMode ? margins : '');
  let alternate = '';
  if (terminal.buffer.active.type === 'alternate') {
    await emulator.feed('\x1b[?1049l');
    // The addon assumes that the alternate screen begins in the default style.
    const screen = screens.slice(normalScreen.length).replace('\x1b[?1049h', '\x1b[?1049h\x1b[m');
    alternate = (await marginsOf(emulator)) + cursorOf(terminal, '') + screen;
  }
  const text = newestText(addon, terminal, maxLength);
  const head = HEAD_MARK + text + alternate + margins + modes + cursor;
  const isPlainText = alternate === '' && margins === '' && (await isPlain(emulator));
  return { head, plainModes: isPlainText ? modes : undefined };
}

/** The normal screen, and as many lines above it as fit into `maxLength`. */
function newestText(addon: SerializeAddon, terminal: Terminal, maxLength: number): string {
  let scrollback = terminal.buffer.normal.baseY;
  for (;;) {
    const text = addon.serialize({ scrollback, excludeAltBuffer: true, excludeModes: true });
    if (text.length <= maxLength || scrollback === 0) return text;
    scrollback = Math.floor(Math.min(0.9, maxLength / text.length) * scrollback);
  }
}

/** The sequence that sets the scroll region of the active screen; empty for the whole screen. */
async function marginsOf(emulator: Emulator): Promise<string> {
  const [, region = ''] = /\$r(\d+;\d+)r/.exec(await emulator.ask('\x1bP$qr\x1b\\')) ?? [];
  return region === '' || region === `1;${emulator.terminal.rows}` ? '' : `\x1b[${region}r`;
}

/**
 * The sequence that places the cursor: margins and origin mode move it, and the addon moves it relative to text that may have wrapped.
 * Empty if the cursor is behind the last column, because only text can place it there. `margins`: the margins in origin mode, otherwise ''.
 */
function cursorOf({ cols, buffer }: Terminal, margins: string): string {
  const { cursorX, cursorY } = buffer.active;
  if (cursorX === cols) return '';
  const top = Number(/\d+/.exec(margins)?.[0] ?? 1);
  return `\x1b[${Math.max(cursorY + 2 - top, 1)};${cursorX + 1}H`;
}

/** Writes a letter to see its style and charset. */
async function isPlain(emulator: Emulator): Promise<boolean> {
  const { buffer, modes } = emulator.terminal;
  const { originMode, insertMode, wraparoundMode, reverseWraparoundMode } = modes;
  if (originMode || insertMode || !wraparoundMode || reverseWraparoundMode) return false;
  await emulator.feed('\x1b[Hq');
  const cell = buffer.active.getLine(buffer.active.baseY)?.getCell(0);
  return cell?.getChars() === 'q' && cell.isAttributeDefault();
}
