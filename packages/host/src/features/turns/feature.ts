import type { RootConfigState } from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { RememberedAgents } from '../../agents/remembered.ts';
import type { StartProgress } from '../../agents/start-progress.ts';
import type { TurnInput } from '../../agents/turn.ts';
import { Approvals } from '../../approvals/approvals.ts';
import { ApprovalStore } from '../../approvals/store.ts';
import { numberSetting } from '../../config/host-config.ts';
import { type Clock, type Ids, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import { linesReader, type ReadLines } from '../../turns/contents/annotated-files.ts';
import { attachmentReader } from '../../turns/contents/attachment-reader.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import { ContentStore } from '../../turns/contents/content-store.ts';
import { TurnLocales } from '../../turns/locales.ts';
import type { TurnParts } from '../../turns/parts.ts';
import { recoverOpen } from '../../turns/recovery.ts';
import { TurnSupervisor } from '../../turns/supervisor.ts';
import { ClientToolRuns } from '../../turns/tools/client-tool.ts';
import { HostTools } from '../../turns/tools/host-tools.ts';
import { applyPolicyToResults } from '../../turns/tools/result-policy.ts';
import { SignIns } from '../../turns/tools/sign-ins.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Feature } from '../feature.ts';

const MINUTE_MS = 60_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly agents: AgentRegistry;
  readonly remembered: RememberedAgents;
  readonly progress: StartProgress;
  readonly attachments: AttachmentStore;
  readonly terminals: Terminals;
  readonly workspace: Workspace;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
  readonly workingDirectoriesOf: TurnParts['workingDirectoriesOf'];
  readonly beforeTurn: TurnParts['beforeTurn'];
  readonly prepareSession: TurnParts['prepareSession'];
  readonly prepareTurn: TurnParts['prepareTurn'];
  readonly contribute?: TurnParts['contribute'];
  readonly expand?: TurnParts['expand'];
  /** Real paths of the folders that a chat may work in without a question; `undefined`: it is not isolated. */
  isolatedFolders(of: { readonly session: string; readonly chat: string }): readonly string[] | undefined;
  /** Reads resources of MCP servers; `undefined` for other URIs. */
  readElsewhere(uri: string, maxBytes: number): ReturnType<TurnInput['readResource']> | undefined;
  readonly promptText: TurnParts['promptText'];
  /** Absolute paths of the folders that agents may read. */
  listFolders(): Promise<readonly string[]>;
}

/** Runs turns. Each open turn has an owner that ends it, whatever its agent does. */
export async function turnsFeature(parts: Parts): Promise<
  Feature & {
    readonly turns: TurnSupervisor;
    readonly approvals: Approvals;
    readonly contents: ContentStore;
    readonly locales: TurnLocales;
    readonly signIns: SignIns;
    readonly readLines: ReadLines;
    readonly hostTools: HostTools;
  }
> {
  const { sync, clock, timers, ids, progress, workspace, terminals } = parts;
  const config = (): RootConfigState | undefined => sync.root.state.config;
  const locales = new TurnLocales(sync);
  const signIns = new SignIns(sync);
  const contents = new ContentStore(sync, ids);
  const localeOf = (chat: string): string => locales.of(chat);
  const approvals = new Approvals({
    sync,
    store: await ApprovalStore.load(sync, ids),
    localeOf,
    defaultFolder: workspace.defaultDirectory,
    isolatedFolders: (of) => parts.isolatedFolders(of),
  });
  const limitMs = (): number => numberSetting(config(), 'clientToolTimeoutSeconds') * 1_000;
  const readResource = attachmentReader(
    sync.journal,
    workspace.bytesReaderFor(() => parts.listFolders()),
    (uri, maxBytes) => parts.readElsewhere(uri, maxBytes),
  );
  const readLines = linesReader(readResource);
  const hostTools = new HostTools();
  const turns = new TurnSupervisor({
    ...parts,
    approvals,
    contents,
    signIns,
    clientTools: new ClientToolRuns({ sync, timers, limitMs }),
    hostTools,
    startLimitMs: () => numberSetting(config(), 'agentStartTimeoutSeconds') * 1_000,
    onStartStep: (session, step) => progress.step(session, step),
    localeOf,
    readResource,
    readLines,
    isPrivate: (real) => workspace.privatePaths.covers(real),
    listPrivate: () => workspace.privatePaths.existing(),
  });
  applyPolicyToResults(sync, approvals, (chat, action) => turns.resultAnswered(chat, action));
  return {
    name: 'turns',
    turns,
    approvals,
    contents,
    locales,
    signIns,
    readLines,
    hostTools,
    recover: () => recoverOpen(parts, (open, areAll) => terminals.recover(open, areAll)),
    sweep: () => {
      // The next turn opens the agent again.
      const idleMs = numberSetting(config(), 'agentIdleMinutes') * MINUTE_MS;
      turns.closeIdle(steadyNow(clock) - idleMs);
    },
    stop: () => turns.shutDown(),
  };
}
