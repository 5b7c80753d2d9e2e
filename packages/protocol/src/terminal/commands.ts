import type { BaseParams, URI } from '../wire/basics.ts';
import type { CellCount, TerminalClaim } from './state.ts';

/** `createTerminal`: starts a shell, or the program given, under the URI in `channel` [TERM-1]. */
export interface CreateTerminalParams extends BaseParams {
  /** A client may only claim for itself. */
  claim: TerminalClaim;
  /** Title. Absent: the host chooses. */
  name?: string;
  /** Absent: the host chooses. One that does not exist is `-32008`. */
  cwd?: URI;
  /** Characters. Absent: 80. */
  cols?: CellCount;
  /** Lines. Absent: 24. */
  rows?: CellCount;
  /** Program and arguments to run in place of the shell [TERM-1]. */
  'x-command'?: string[];
  /** Environment variables set on top of the host's for that program [TERM-1]. */
  'x-env'?: Record<string, string>;
}

/** `disposeTerminal`: ends the process group and removes the terminal in `channel`. */
export interface DisposeTerminalParams extends BaseParams {}
