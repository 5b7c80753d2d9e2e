import type { ProjectInfo } from '@agenthost/protocol';
import type { KnownConfigs } from '../agents/known-config.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { StartProgress } from '../agents/start-progress.ts';
import type { Caller } from '../handler-port/channel-module.ts';
import type { Ids } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { TurnSupervisor } from '../turns/supervisor.ts';
import type { SessionListing } from './catalogue.ts';

/** A valid working directory. */
export interface ResolvedDirectory {
  /** `file:` URI. */
  readonly uri: string;
  /** Absolute. */
  readonly path: string;
}

/** Services for the commands of sessions. */
export interface SessionParts {
  /** Whether a client has passed a token for a resource that an agent accepted, and that has not expired [AUTH-20]. */
  isSignedIn(clientId: string, resource: string): boolean;
  readonly sync: Sync;
  readonly ids: Ids;
  readonly agents: AgentRegistry;
  readonly turns: TurnSupervisor;
  readonly terminals: Pick<TerminalService, 'heldBy' | 'disposeHeldBy'>;
  readonly configs: KnownConfigs;
  readonly progress: StartProgress;
  /** Validates and completes a working directory, in the order of [SESS-1]. */
  resolveDirectory(uri: string | undefined, caller: Caller): Promise<ResolvedDirectory>;
  /** The repository that contains a folder, if any. Resolves quickly. */
  findProject(path: string): Promise<ProjectInfo | undefined>;
  /** Checks whether a session with these config values can get a worktree, if it wants one. Rejects with `-32602`. */
  checkIsolation(path: string, values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Names of branches of the repository that contains a folder. */
  branches(path: string): Promise<readonly string[]>;
  readonly listing: SessionListing;
}
