import type { URI } from '../common/types.ts';
import type { SessionActiveClient } from './state.ts';

export interface CreateSessionParams {
  channel: URI;
  provider?: string;
  workingDirectory?: URI;
  fork?: SessionForkSource;
  config?: Record<string, unknown>;
  activeClient?: SessionActiveClient;
  progressToken?: string;
}

export interface DisposeSessionParams {
  channel: URI;
}

export interface SessionForkSource {
  session: URI;
  turnId: string;
}
