import type { FindToolServer } from '../client-tools/offered-tools.ts';
import type { AcpAgentConfig } from '../config/config.ts';
import type { AgentSessionConfig } from '../config/session-config.ts';
import type { ConnectionPool } from '../process/connection-pool.ts';
import type { AcpLog, AcpTimers } from '../runtime.ts';

/** Dependencies shared by the sessions of one provider. */
export interface AcpSessionContext {
  readonly agent: AcpAgentConfig;
  readonly pool: ConnectionPool;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** Time limit for the answers to `session/new`, `load`, `resume` and `close`, in milliseconds. */
  readonly sessionTimeoutMs: number;
  /** Finds the server for tools of clients. */
  readonly findToolServer: FindToolServer;
  /** Called with the config that a new session of the agent offers, before it is changed. */
  onOffered(config: AgentSessionConfig): void;
}
