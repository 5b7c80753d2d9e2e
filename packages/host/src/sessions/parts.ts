import type { ChatState, ChatSummary, ProjectInfo } from '@agenthost/protocol';
import type { KnownConfigs } from '../agents/known-config.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { StartProgress } from '../agents/start-progress.ts';
import type { Caller } from '../handler-port/channel-module.ts';
import type { Ids } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { TurnSupervisor } from '../turns/supervisor.ts';

/** What sessions need of chats: they are made and unmade together, but neither imports the other. */
interface ChatOfSession {
  /** A new chat's state and its catalogue entry. */
  make(nowIso: string): {
    state: ChatState;
    summary: ChatSummary;
  };
  remove(tx: Tx, session: Channel<'session'>, chat: Channel<'chat'>): void;
}

/** What the commands of sessions work with. */
export interface SessionParts {
  readonly sync: Sync;
  readonly ids: Ids;
  readonly agents: AgentRegistry;
  readonly turns: TurnSupervisor;
  readonly terminals: Pick<TerminalService, 'heldBy' | 'disposeHeldBy'>;
  readonly configs: KnownConfigs;
  readonly progress: StartProgress;
  readonly chats: ChatOfSession;
  /** Checks and completes a working directory, in the order of [SESS-1]; `file:` URI and absolute path. */
  resolveDirectory(uri: string | undefined, caller: Caller): Promise<{ uri: string; path: string }>;
  /** The repository that a folder lies in, if any. Soon. */
  findProject(path: string): Promise<ProjectInfo | undefined>;
  /** A session is added to the catalogue, or taken out of it. */
  onListed(tx: Tx, uri: string, by: 1 | -1): void;
}
