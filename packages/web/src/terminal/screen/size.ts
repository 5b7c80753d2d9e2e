import type { TerminalHandle } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import { FONT_SIZES } from '../terminal-settings.ts';
import type { Emulator, ScreenSize } from './emulator.ts';

/** Size of a terminal that does not tell one [TERM-1]. */
const USUAL: ScreenSize = { cols: 80, rows: 24 };

/** How long the frame must keep its size before the terminal follows it. Milliseconds. */
const SETTLE_MS = 80;

/** The size of a terminal. */
export const sizeOf = ({ cols, rows }: Partial<ScreenSize>): ScreenSize => ({
  cols: cols ?? USUAL.cols,
  rows: rows ?? USUAL.rows,
});

/** Parts of `followSize`. */
interface SizeParts {
  /** The scrolling element around the screen. */
  readonly frame: HTMLElement;
  readonly terminal: TerminalHandle;
  readonly emulator: Emulator;
  readonly mayAct: boolean;
  /** Chosen size of the font, in pixels. */
  readonly fontSize: number;
}

/**
 * Keeps the sizes of terminal, emulator and frame together. If this page holds the terminal, the frame sets the size of the terminal. Otherwise the
 * terminal keeps its size, and a smaller font or scrolling makes up for it. Returns a function that stops it.
 */
export function followSize({ frame, terminal, emulator, mayAct, fontSize }: SizeParts): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const setsSize = (): boolean => mayAct && terminal.holder.kind === 'me' && !hasExited(terminal.state);
  const show = (): void => {
    emulator.resize(sizeOf(terminal.state));
    if (setsSize()) emulator.setFontSize(fontSize);
    else shrink(emulator, frame, fontSize);
  };
  const settle = (): void => {
    show();
    if (!setsSize()) return;
    const fitting = emulator.fittingSize;
    const { cols, rows } = sizeOf(terminal.state);
    if (fitting === undefined || frame.clientHeight === 0) return;
    if (fitting.cols !== cols || fitting.rows !== rows) void terminal.resize(fitting.cols, fitting.rows);
  };
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
  };
  let known = terminal.state;
  const stop = terminal.mirror.onChange((state) => {
    const before = known;
    known = state;
    if (state.claim !== before.claim || state.lifecycle !== before.lifecycle) return settle();
    if (state.cols !== before.cols || state.rows !== before.rows) show();
  });
  const observer = new ResizeObserver(changed);
  observer.observe(frame);
  settle();
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    stop();
  };
}

/** Chooses a font with which the screen fits into the frame, if it is large enough to read. */
function shrink(emulator: Emulator, frame: HTMLElement, fontSize: number): void {
  if (frame.clientWidth === 0) return;
  emulator.setFontSize(fontSize);
  const { cell, terminal } = emulator;
  const share = Math.min(
    (frame.clientWidth - GUTTER) / (cell.width * terminal.cols),
    (frame.clientHeight - EDGES) / (cell.height * terminal.rows),
  );
  if (share < 1) emulator.setFontSize(Math.max(FONT_SIZES.least, Math.floor(fontSize * share * 2) / 2));
}

/** Width of command marks and scroll bar, in pixels. */
const GUTTER = 36;

/** Space above and below the screen, in pixels. */
const EDGES = 8;
