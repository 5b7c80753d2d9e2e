import type { Readable, Writable } from 'node:stream';
import { hasCode } from '@agenthost/protocol/values';
import { CliError, EXIT } from './exit.ts';

/** Properties of a stream that is a terminal. */
export interface TerminalTraits {
  readonly isTTY?: boolean;
  /** Cells in a line. */
  readonly columns?: number;
  /** Lines. */
  readonly rows?: number;
  /** Bytes as typed, nothing done by the terminal; of input only. */
  setRawMode?(isRaw: boolean): unknown;
}

/** The process as commands see it, so that tests can stand in for it. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. Throws a `CliError` if it was removed. */
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  readonly stdin: Readable & TerminalTraits;
  readonly stdout: Writable & TerminalTraits;
  readonly stderr: Writable & TerminalTraits;
  /** Aborts when the reader of stdout is gone (`… | head -1`). */
  readonly outputClosed: AbortSignal;
  /** Calls `listener` at each of these signals in place of the default action. The result restores the default. */
  onSignal(signals: readonly NodeJS.Signals[], listener: (signal: NodeJS.Signals) => void): () => void;
  /** Exits immediately. */
  exitNow(code: number): void;
}

/** The working directory of the process; `undefined` if it was removed. */
export function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The real process. */
export function processContext(version: string, home: string): Context {
  const outputClosed = new AbortController();
  process.stdout.on('error', (error) => outputClosed.abort(error));
  // A broken stderr cannot be reported.
  process.stderr.on('error', () => undefined);
  const cwd = workingDirectory();
  return {
    env: process.env,
    get cwd() {
      if (cwd !== undefined) return cwd;
      throw new CliError(EXIT.error, 'the working directory was removed: change to another folder');
    },
    home,
    platform: process.platform,
    version,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    outputClosed: outputClosed.signal,
    onSignal: (signals, listener) => {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}
