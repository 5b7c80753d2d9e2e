import type { AgentStartStep } from '../agents/provider.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { RememberedAgents } from '../agents/remembered.ts';
import type { TurnInput } from '../agents/turn.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { AttachmentStore } from './contents/attachment-store.ts';
import type { ContentStore } from './contents/content-store.ts';
import type { ClientToolRuns } from './tools/client-tool.ts';

/** What running turns needs. */
export interface TurnParts {
  readonly sync: Sync;
  readonly agents: AgentRegistry;
  readonly remembered: RememberedAgents;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly contents: ContentStore;
  readonly attachments: AttachmentStore;
  readonly approvals: Approvals;
  readonly clientTools: ClientToolRuns;
  readonly terminals: Pick<TerminalService, 'startForAgent'>;
  /** Locale of the client that started a chat's present turn; `en` when unknown [CHAT-19]. */
  localeOf(chat: string): string;
  /** How long an agent may take to open a session, ms, as it is set now. */
  startLimitMs(): number;
  /** The agent of a session that is being created has come so far [ROOT-3]. */
  onStartStep(session: string, step: AgentStartStep): void;
  /** Reads what an attachment names, by the host's path policy. */
  readonly readResource: TurnInput['readResource'];
  /** Absolute path; rejects with `AgentError` when the folder has gone. */
  workingDirectoryOf(session: Channel<'session'>, chat: Channel<'chat'>): Promise<string>;
  /** Whether a real path is the host's own. */
  isPrivate(realPath: string): Promise<boolean>;
}
