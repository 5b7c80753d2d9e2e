import type { URI } from '../common/types.ts';
import type { TerminalClaim } from './state.ts';

export interface CreateTerminalParams {
  channel: URI;
  claim: TerminalClaim;
  name?: string;
  cwd?: URI;
  cols?: number;
  rows?: number;
}

export interface DisposeTerminalParams {
  channel: URI;
}
