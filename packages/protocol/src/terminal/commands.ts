import type { URI } from '../common/types.ts';
import type { TerminalClaim } from './state.ts';

export interface CreateTerminalParams {
  channel: URI;
  claim: TerminalClaim;
  name?: string;
  cwd?: URI;
  cols?: number;
  rows?: number;
  /** Program and arguments to run in place of the shell [TERM-1]. */
  'x-command'?: string[];
  /** Environment variables set on top of the host's for that program [TERM-1]. */
  'x-env'?: Record<string, string>;
}

export interface DisposeTerminalParams {
  channel: URI;
}
