import type { AcpAgentConfig } from './config.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { FindToolServer } from './offered-tools.ts';
import type { AcpLog, AcpTimers } from './runtime.ts';
import type { AgentSessionConfig } from './session-config.ts';

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
