import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Terminal } from '@xterm/headless';
import { emulatorCore } from './internals.ts';

/** Characters and lines. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** UTF-16 units that are taken in between two turns of the event loop: a few milliseconds at most. */
const SLICE = 32 * 1024;

/** A terminal of its own, with nothing on it. Loaded when the first one is needed: most hosts never need any. */
export async function openEmulator(size: Size, scrollbackLines: number): Promise<Terminal> {
  const { default: xterm } = await import('@xterm/headless');
  const terminal = new xterm.Terminal({
    cols: size.cols,
    rows: size.rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    logLevel: 'off',
  });
  avoidCornerFault(terminal);
  return terminal;
}

/**
 * Feeds text in slices, other work in between. Rejects with what the emulator throws: its own `write` would throw out of a
 * timer, where nothing but the end of the process waits.
 */
export async function feed(terminal: Terminal, text: string): Promise<void> {
  const core = emulatorCore(terminal);
  for (let at = 0; at < text.length; at += SLICE) {
    if (at > 0) await nextTurn();
    core.writeSync(text.slice(at, at + SLICE));
  }
}

/**
 * The emulator throws on `CSI 1 J` in the last corner of a screen without scrollback, since it looks for the line below.
 * There it means the whole screen, as `CSI 2 J` does.
 */
function avoidCornerFault(terminal: Terminal): void {
  const erase = (params: readonly (number | number[])[]): boolean => {
    const { cursorX, cursorY, length } = terminal.buffer.active;
    if (params[0] !== 1 || cursorX + 1 < terminal.cols || cursorY + 1 < length) return false;
    return emulatorCore(terminal)._inputHandler.eraseInDisplay({ params: [2], length: 1 });
  };
  terminal.parser.registerCsiHandler({ final: 'J' }, erase);
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'J' }, erase);
}
