import { feed, openEmulator, type Size } from './emulator.ts';
import { Remembered } from './remembered.ts';
import { type Serialized, serialize } from './state.ts';
import { HEAD_MARK } from './trim.ts';

/** Lines above the screen that a compressed head keeps. */
export const SCROLLBACK_LINES = 1000;

/** From `at` (UTF-16 units into a text) on, programs wrote for this size. */
export interface SizeChange extends Size {
  readonly at: number;
}

/** A text, and for which sizes it was written: in order, the first at 0. */
export interface Fold {
  readonly text: string;
  readonly sizes: readonly SizeChange[];
  /** Of the terminal now: what the result is for. */
  readonly size: Size;
  readonly scrollbackLines: number;
}

/**
 * Writes down the terminal that this text leads to: shorter text, that leads a terminal of the present size to the same
 * screen, scrollback and modes.
 */
export async function fold({ text, sizes, size, scrollbackLines }: Fold): Promise<Serialized> {
  const terminal = await openEmulator(sizes[0] ?? size, scrollbackLines);
  try {
    const remembered = new Remembered(terminal);
    let at = 0;
    for (const change of sizes) {
      const end = Math.min(Math.max(change.at, at), text.length);
      await feed(terminal, text.slice(at, end));
      at = end;
      terminal.resize(change.cols, change.rows);
    }
    await feed(terminal, text.slice(at));
    terminal.resize(size.cols, size.rows);
    return serialize(terminal, remembered);
  } finally {
    terminal.dispose();
  }
}

/** A head that is this terminal. */
export const headText = ({ screen, state }: Serialized): string => HEAD_MARK + screen + state;
