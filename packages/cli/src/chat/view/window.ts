import type { Readable, Writable } from 'node:stream';
import { Box, render, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from 'ink';
import { createElement, type ReactElement, useEffect, useState } from 'react';
import type { ChatApp } from '../app/chat-app.ts';
import { keyEvents } from '../keys/key-event.ts';
import { toAnsi } from '../text/line.ts';

/** Shortest interval between two frames. */
const FRAME_INTERVAL_MS = 33;

/** A window that shows frames and reads keys. */
export interface ChatWindow {
  /** Resolves when it was closed; rejects when it broke. The terminal is as it was before. */
  readonly closed: Promise<unknown>;
  close(): void;
  /** Gives the terminal away while `use` runs, and draws everything anew after. */
  suspend(use: () => Promise<void>): Promise<void>;
}

/** Streams of a window. */
export interface WindowOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly hasColors: boolean;
}

type Suspend = ChatWindow['suspend'];

/** Opens the program's window: an alternate screen, so that what stood in the terminal is back when it closes. */
export function openWindow(app: ChatApp, { stdin, stdout, stderr, hasColors }: WindowOptions): ChatWindow {
  let suspend: Suspend = async (use) => use();
  const view = createElement(View, {
    app,
    hasColors,
    onSuspend: (found: Suspend) => {
      suspend = found;
    },
  });
  const wrapping = new LineWrapping(stdout);
  const { unmount, waitUntilExit } = render(view, {
    stdin,
    stdout,
    stderr,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
    isScreenReaderEnabled: false,
  });
  wrapping.off();
  return {
    closed: waitUntilExit().finally(() => wrapping.on()),
    close: () => unmount(),
    suspend: async (use) => {
      await suspend(async () => {
        wrapping.on();
        await use();
      });
      wrapping.off();
    },
  };
}

/** Turns the terminal's line wrapping on or off. It is off while frames show, because terminals disagree about the width of characters. */
class LineWrapping {
  readonly #stdout: Writable;
  readonly #atExit = (): void => this.on();
  #isOff = false;

  constructor(stdout: Writable) {
    this.#stdout = stdout;
  }

  off(): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#stdout.write('\u001b[?7l');
    process.on('exit', this.#atExit);
  }

  on(): void {
    if (!this.#isOff) return;
    this.#isOff = false;
    this.#stdout.write('\u001b[?7h');
    process.off('exit', this.#atExit);
  }
}

interface ViewProps {
  readonly app: ChatApp;
  readonly hasColors: boolean;
  readonly onSuspend: (suspend: Suspend) => void;
}

function View({ app, hasColors, onSuspend }: ViewProps): ReactElement {
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  const { setCursorPosition } = useCursor();
  const [, redraw] = useState(0);
  useEffect(() => {
    onSuspend((use) => suspendTerminal(use));
  }, [onSuspend, suspendTerminal]);
  useEffect(() => onFrames(app, () => redraw((count) => count + 1)), [app]);
  useInput((input, key) => {
    for (const event of keyEvents(input, key)) app.key(event);
  });
  usePaste((text) => app.paste(text));
  const { lines, cursor } = app.frame({ columns, rows });
  setCursorPosition(cursor);
  return createElement(
    Box,
    { flexDirection: 'column', width: columns, height: rows, overflow: 'hidden' },
    lines.map((line, index) =>
      createElement(
        Box,
        // A line's place is all that it is.
        { key: index, height: 1, flexShrink: 0, overflow: 'hidden' },
        createElement(Text, { wrap: 'truncate-end' }, toAnsi(line, hasColors) || ' '),
      ),
    ),
  );
}

/** Calls `draw` for the first of many changes at once, and for what follows when its frame is over. */
function onFrames(app: ChatApp, draw: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let hasMore = false;
  const next = (): void => {
    timer = undefined;
    if (!hasMore) return;
    hasMore = false;
    draw();
    timer = setTimeout(next, FRAME_INTERVAL_MS);
  };
  const stop = app.onChange(() => {
    hasMore = true;
    timer ??= setTimeout(next, 0);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
