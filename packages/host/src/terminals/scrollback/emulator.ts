import type { Terminal } from '@xterm/headless';

/** Characters and lines. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** A terminal of its own, with nothing on it. Loaded when the first one is needed: most hosts never need any. */
export async function openEmulator(size: Size, scrollbackLines: number): Promise<Terminal> {
  const { default: xterm } = await import('@xterm/headless');
  return new xterm.Terminal({
    cols: size.cols,
    rows: size.rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    logLevel: 'off',
  });
}

/** Feeds text; resolves when all of it has been taken in. The emulator works in slices and yields between them. */
export const feed = (terminal: Terminal, text: string): Promise<void> =>
  text === '' ? Promise.resolve() : new Promise((resolve) => terminal.write(text, resolve));
