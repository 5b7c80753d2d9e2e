import type { FindToolServer } from '../client-tools/offered-tools.ts';
import type { AcpAgentConfig } from '../config/config.ts';
import type { AgentSessionConfig } from '../config/session-config.ts';
import type { ConnectionPool } from '../process/connection-pool.ts';
import type { AcpLog, AcpTimers } from '../runtime.ts';

/** What the sessions of one provider share. */
export interface AcpSessionContext {
  readonly agent: AcpAgentConfig;
  readonly pool: ConnectionPool;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** For the answers to `session/new`, `load`, `resume` and `close`. */
  readonly sessionTimeoutMs: number;
  /** Where sessions serve the tools of clients. */
  readonly findToolServer: FindToolServer;
  /** Sees what a new session of the agent offers, before anything was changed in it. */
  onOffered(config: AgentSessionConfig): void;
}
