import type { BaseParams, URI } from '../wire/basics.ts';
import type { CellCount, TerminalClaim } from './state.ts';

/** `createTerminal`: starts a shell or a program under the URI in `channel` [TERM-1]. */
export interface CreateTerminalParams extends BaseParams {
  /** A client may claim only for itself. */
  claim: TerminalClaim;
  /** Title. Absent: the host chooses. */
  name?: string;
  /** Absent: the host chooses. A directory that does not exist is answered with `-32008`. */
  cwd?: URI;
  /** Characters. Absent: 80. */
  cols?: CellCount;
  /** Lines. Absent: 24. */
  rows?: CellCount;
  /** Program and arguments to run in place of the shell [TERM-1]. */
  'x-command'?: string[];
  /** Environment variables for the shell or the program, set on top of the terminal's usual environment [TERM-1]. */
  'x-env'?: Record<string, string>;
}

/** `disposeTerminal`: ends the process group and removes the terminal in `channel`. */
export interface DisposeTerminalParams extends BaseParams {}

/**
 * `x-signalTerminal` (extension): sends a signal to the foreground process group of the terminal in
 * `channel`. For the holder [TERM-5]. Answered with `-32011` after the process has ended.
 */
export interface SignalTerminalParams extends BaseParams {
  signal: TerminalSignal;
}

/** A signal name without `SIG`. */
export type TerminalSignal =
  | 'INT'
  | 'TERM'
  | 'HUP'
  | 'QUIT'
  | 'KILL'
  | 'USR1'
  | 'USR2'
  | 'STOP'
  | 'TSTP'
  | 'CONT';
