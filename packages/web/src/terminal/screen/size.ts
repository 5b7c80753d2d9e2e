import type { TerminalHandle } from '@agenthost/client';
import { beforeFrame } from '../../live/frame.ts';
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
  // The host refuses sizes on an unanswered claim of a terminal that another client holds, so `holder` alone does not do.
  const setsSize = (): boolean => mayAct && terminal.holder.kind === 'me' && terminal.mayType;
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
  const stopCursor = followCursor(frame, emulator);
  const observer = new ResizeObserver(changed);
  observer.observe(frame);
  settle();
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    stopCursor();
    stop();
  };
}

/** Chooses a font with which the screen fits into the frame, but none that is too small to read: then the frame scrolls. */
function shrink(emulator: Emulator, frame: HTMLElement, fontSize: number): void {
  if (frame.clientWidth === 0) return;
  emulator.setFontSize(fontSize);
  const { cell, terminal } = emulator;
  const share = Math.min(
    (frame.clientWidth - GUTTER) / (cell.width * terminal.cols),
    (frame.clientHeight - EDGES) / (cell.height * terminal.rows),
  );
  if (share >= 1) return;
  const least = Math.min(fontSize, LEAST_READABLE);
  emulator.setFontSize(Math.max(least, Math.floor(fontSize * share * 2) / 2));
}

/**
 * Scrolls a frame that is smaller than its screen to the line of the cursor, until the person scrolls it away from there. Returns a function that
 * stops it.
 */
function followCursor(frame: HTMLElement, emulator: Emulator): () => void {
  let followed = frame.scrollTop;
  let cancel: (() => void) | undefined;
  const scroll = (): void => {
    if (frame.scrollHeight <= frame.clientHeight || Math.abs(frame.scrollTop - followed) > 2) return;
    const { cell, terminal } = emulator;
    const top = terminal.buffer.active.cursorY * cell.height;
    if (top < frame.scrollTop) frame.scrollTop = top;
    else frame.scrollTop = Math.max(frame.scrollTop, top + 2 * cell.height + EDGES - frame.clientHeight);
    followed = frame.scrollTop;
  };
  const moved = emulator.terminal.onRender(() => {
    cancel = beforeFrame(scroll);
  });
  return () => {
    cancel?.();
    moved.dispose();
  };
}

/** Size of a font that most people can read, in pixels. */
const LEAST_READABLE = 10.5;

/** Width of command marks and scroll bar, in pixels. */
const GUTTER = 36;

/** Space above and below the screen, in pixels. */
const EDGES = 8;
