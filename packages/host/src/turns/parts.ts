import type { AgentStartStep } from '../agents/provider.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { RememberedAgents } from '../agents/remembered.ts';
import type { TurnInput, TurnOutput } from '../agents/turn.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { ReadLines } from './contents/annotated-files.ts';
import type { AttachmentStore } from './contents/attachment-store.ts';
import type { ContentStore } from './contents/content-store.ts';
import type { Contribute, Expand } from './contribution.ts';
import type { ClientToolRuns } from './tools/client-tool.ts';
import type { HostTools } from './tools/host-tools.ts';
import type { SignIns } from './tools/sign-ins.ts';

/** Services that turns run with. */
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
  readonly hostTools: HostTools;
  readonly signIns: SignIns;
  readonly terminals: Pick<TerminalService, 'startForAgent'>;
  /** BCP 47 locale of the client that started a chat's current turn; `en` if unknown [CHAT-19]. */
  localeOf(chat: string): string;
  /** Time limit for opening an agent session, in milliseconds, read from the current config. */
  startLimitMs(): number;
  /** Reports the progress of opening the agent of a session in creation [ROOT-3]. */
  onStartStep(session: string, step: AgentStartStep): void;
  /** Reads a resource that an attachment refers to. Applies the host's path policy. */
  readonly readResource: TurnInput['readResource'];
  /** Reads the files of attached annotations, with the same rights. */
  readonly readLines: ReadLines;
  /** Absolute path. Rejects with `AgentError` if the folder no longer exists. */
  workingDirectoryOf(session: Channel<'session'>, chat: Channel<'chat'>): Promise<string>;
  /** Absolute paths of all its folders, the primary one first. Rejects with `AgentError` if one no longer exists. */
  workingDirectoriesOf(session: Channel<'session'>, chat: Channel<'chat'>): Promise<[string, ...string[]]>;
  /** Called before an agent or a command gets a turn, to record the files at its start. Never rejects. */
  beforeTurn(of: { readonly session: string; readonly chat: string; readonly turnId: string }): Promise<void>;
  /** Called before the agent of a new session is opened. Rejects with `AgentError` if the session cannot be created. */
  prepareSession(session: string): Promise<void>;
  /** Called before the agent gets a turn, with the output of the turn. Resolves when the turn may go on. */
  prepareTurn(turn: {
    readonly session: string;
    readonly chat: string;
    readonly turnId: string;
    readonly output: TurnOutput;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** Adds the customizations of the session to a turn. Absent: the host looks for none. */
  readonly contribute?: Contribute | undefined;
  /** Absent: the host looks for no customizations. */
  readonly expand?: Expand | undefined;
  /** The text of the MCP prompt that a message invokes, for its agent; `undefined`: it invokes none. Rejects with the reason for people. */
  promptText(session: string, message: string): Promise<string | undefined>;
  /** Whether a real path is private to the host. */
  isPrivate(realPath: string): Promise<boolean>;
  /** The host's private files and folders that exist. */
  listPrivate(): Promise<readonly string[]>;
}
