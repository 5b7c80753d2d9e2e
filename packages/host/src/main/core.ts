import { findChat, type RootConfigState } from '@agenthost/protocol';
import { AgentError } from '../agents/agent-error.ts';
import { ChildProcesses } from '../agents/child-processes.ts';
import { KnownConfigs } from '../agents/known-config.ts';
import { AgentRegistry } from '../agents/registry.ts';
import { RememberedAgents } from '../agents/remembered.ts';
import { StartProgress } from '../agents/start-progress.ts';
import { Approvals } from '../approvals/approvals.ts';
import { ApprovalStore } from '../approvals/store.ts';
import { AccessTokens } from '../auth/access-tokens.ts';
import { chatCommands, removeChat } from '../features/chat/commands.ts';
import { COMPLETION_TRIGGERS } from '../features/completion/word.ts';
import { completionCommands } from '../features/completion/commands.ts';
import { chatModule } from '../features/chat/module.ts';
import { dropOldTurns } from '../features/chat/retain.ts';
import { resourceCommands } from '../features/resource/commands.ts';
import { approvalCommands } from '../features/approvals/commands.ts';
import { listSessions } from '../features/session/list-sessions.ts';
import { rootModule } from '../features/root/module.ts';
import { changeSessionCount, openRoot } from '../features/root/open-root.ts';
import { searchCommands } from '../features/search/commands.ts';
import { tokenCommands } from '../features/tokens/commands.ts';
import { keepCatalogue } from '../sessions/catalogue.ts';
import { sessionCommands } from '../features/session/commands.ts';
import { keepHostKeys } from '../sessions/host-keys.ts';
import { importCommands } from '../features/import/commands.ts';
import { mirrorChats } from '../sessions/mirror.ts';
import { sessionModule } from '../features/session/module.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { terminalCommands } from '../features/terminal/commands.ts';
import { terminalModule } from '../features/terminal/module.ts';
import { Membership } from '../client-tools/membership.ts';
import { defaultAgent, numberSetting } from '../config/host-config.ts';
import type { Commands } from '../handler-port/commands.ts';
import type { Journal, JournalStart, JournalWrite } from '../journal/journal.ts';
import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SliceScheduler } from '../lib/slice-scheduler.ts';
import { archiveTurns } from '../sync/archive.ts';
import { newChat, newChatUri, summaryOf } from '../sync/new-chat.ts';
import { Sync } from '../sync/sync.ts';
import { WindowBudget } from '../sync/window-budget.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { clearActivity } from '../turns/activity.ts';
import { attachedReader } from '../turns/attached.ts';
import { ClientToolRuns } from '../turns/client-tool.ts';
import { COMMAND_PREFIX } from '../turns/command.ts';
import { ContentStore } from '../turns/content.ts';
import { TurnLocales } from '../turns/locales.ts';
import { MessageContents } from '../turns/message-contents.ts';
import type { TurnParts } from '../turns/parts.ts';
import { markOpenTurns, recoverOpen } from '../turns/recovery.ts';
import { applyPolicyToResults } from '../turns/result-policy.ts';
import { queueLeftSteering } from '../turns/steering.ts';
import { fitLoaded } from '../turns/stored-limits.ts';
import { TurnSupervisor } from '../turns/supervisor.ts';
import { ClientLives } from '../wire/clients/client-lives.ts';
import type { Connection } from '../wire/connection/connection.ts';
import { DEFAULT_OUTBOX_LIMITS } from '../wire/connection/outbox.ts';
import { Hub } from '../wire/hub.ts';
import { FileFinder } from '../workspace/completion/file-finder.ts';
import { findProject } from '../workspace/git-project.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { abandon } from './abandon.ts';
import { ChatDirectories } from './chat-directories.ts';
import type { HostEvents } from './events.ts';
import type { HostOptions } from './options.ts';
import { OwnerTokens } from './owner-tokens.ts';
import { makeTerminals } from './terminals.ts';
import { WorkingDirectories } from './working-directories.ts';

/** Clients that have left may come back to what is theirs for so long, unless the options say otherwise [SESS-8] [TERM-5]. */
const GRACE_MS = 30_000;

/** What a running host consists of, listening aside. */
export interface Core {
  readonly sync: Sync;
  /** Bounds the turns in memory. */
  readonly windows: WindowBudget;
  readonly hub: Hub;
  readonly agents: AgentRegistry;
  readonly turns: TurnSupervisor;
  readonly terminals: Terminals;
  readonly commands: Commands;
  readonly ownerTokens: OwnerTokens;
  /** Those that the owner gave to others. */
  readonly accessTokens: AccessTokens;
  /** Paths of working directories, for whoever types one. */
  readonly files: FileFinder;
  readonly lives: ClientLives<Connection>;
  /** Aborted when the host stops: everything that waits on it gives up. */
  readonly stopping: AbortController;
  /** Drops all completed turns of a chat but the newest `keep`, for everyone; resolves when it is durable. */
  dropTurns(chat: string, keep: number): Promise<void>;
}

interface CoreParts {
  options: HostOptions;
  journal: Journal;
  start: JournalStart;
  workspace: Workspace;
  clock: Clock;
  timers: Timers;
  ids: Ids;
  log: Log;
  /** Tells whoever runs the host. */
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void;
}

/** Puts a host together on an open journal, and recovers what was open. No client is connected yet. A start that fails leaves nothing. */
export async function startCore(parts: CoreParts): Promise<Core> {
  const made: { -readonly [K in keyof Core]?: Core[K] } = {};
  try {
    return await makeCore(parts, made);
  } catch (error) {
    await abandon(made, parts.log);
    throw error;
  }
}

/** `made` gets what has to be ended as soon as it is there. */
async function makeCore(parts: CoreParts, made: { -readonly [K in keyof Core]?: Core[K] }): Promise<Core> {
  const { options, journal, start, workspace, log, ids, timers, clock } = parts;
  const stopping = new AbortController();
  const sync = new Sync(parts);
  Object.assign(made, { stopping, sync });
  sync.path.onHealth((failure) => {
    if (failure === undefined) parts.emit('journalRecovered', {});
    else parts.emit('journalUnavailable', failure);
  });
  archiveTurns(sync);
  const windows = new WindowBudget(sync);
  keepCatalogue(sync);
  mirrorChats(sync);
  keepHostKeys(sync);
  markOpenTurns(sync);
  clearActivity(sync);
  queueLeftSteering(sync);
  const attached = new MessageContents(sync, ids);
  fitLoaded(sync, attached);

  const commit = (rows: readonly JournalWrite[]): Promise<void> => sync.commitRows(rows);
  // So that there are numbers to refuse with when the very first commit fails, and a full disk is known at once.
  await sync.sequencer.reserve();
  const children = new ChildProcesses({
    write: commit,
    listProcesses: () => journal.listProcesses(),
    readMeta: (key) => journal.readMeta(key),
    after: (delayMs, callback) => void timers.after(delayMs, callback),
    log: (level, message, fields) => log[level](fields, message),
  });
  await children.endOrphans();
  const services = { children, log, clock, timers, ids };
  const providers = options.agents.map((make) => make(services));
  const providerIds = providers.map(({ id }) => id);
  const remembered = await RememberedAgents.load(journal, providerIds, commit);
  const config = (): RootConfigState | undefined => sync.root.state.config;
  const agents = new AgentRegistry(providers, remembered, () => defaultAgent(config()));
  made.agents = agents;
  const { name = 'agenthost', version = '0.0.0' } = options.serverInfo ?? {};
  await openRoot(sync, agents, {
    hostBuild: `${name} ${version}`,
    defaultAgent: options.defaultAgent ?? providerIds[0],
    fixed: options.config ?? {},
  });
  const terminals = makeTerminals(options, version, {
    sync,
    clock,
    timers,
    ids,
    log,
    maxTerminals: () => numberSetting(config(), 'maxTerminals'),
  });
  made.terminals = terminals;
  await recoverOpen(sync, log, (open, areAll) => terminals.recover(open, areAll));

  const locales = new TurnLocales(sync);
  const contents = new ContentStore(sync, ids);
  const localeOf = (chat: string): string => locales.of(chat);
  const clientToolLimitMs = (): number => numberSetting(config(), 'clientToolTimeoutSeconds') * 1_000;
  const chatDirectories = await ChatDirectories.load(sync, (tx) => directories.changed(tx));
  const directories: WorkingDirectories = new WorkingDirectories(sync, log, () => chatDirectories.list());
  const readFile = workspace.readerFor(() => directories.list());
  const progress = new StartProgress(sync);
  const approvals = new Approvals({
    sync,
    store: await ApprovalStore.load(sync, ids),
    localeOf,
    defaultFolder: workspace.defaultDirectory,
  });
  const turns = new TurnSupervisor({
    sync,
    approvals,
    agents,
    remembered,
    timers,
    ids,
    log,
    contents,
    attached,
    clientTools: new ClientToolRuns({ sync, timers, limitMs: clientToolLimitMs }),
    terminals,
    startLimitMs: () => numberSetting(config(), 'agentStartTimeoutSeconds') * 1_000,
    onStartStep: (session, step) => progress.step(session, step),
    localeOf,
    readResource: attachedReader(
      journal,
      workspace.bytesReaderFor(() => directories.list()),
    ),
    workingDirectoryOf: (session, chat) => workingDirectoryOf(workspace, session, chat),
    isPrivate: (real) => workspace.privatePaths.covers(real),
  });
  applyPolicyToResults(sync, approvals, (chat, action) => turns.resultAnswered(chat, action));
  const lives = new ClientLives<Connection>({ clock, timers, graceMs: options.graceMs ?? GRACE_MS });
  made.lives = lives;
  const membership = new Membership({ sync, log, presence: lives });
  await membership.recover();
  const modules = {
    root: rootModule(),
    session: sessionModule(sync, turns),
    chat: chatModule({ sync, ids, turns, contents, attached, locales }),
    terminal: terminalModule({
      sync,
      terminals,
      presence: lives,
      clientIds: {
        isConnected: (clientId) => hub.clients.isConnected(clientId),
        lookUp: (clientId) => hub.clients.lookUp(clientId),
      },
    }),
  };
  const sessionParts: SessionParts = {
    sync,
    ids,
    agents,
    turns,
    terminals,
    progress,
    configs: new KnownConfigs({ remembered, timers, log }),
    resolveDirectory: (uri, caller) => workspace.resolveDirectory(uri, caller.isAdmin),
    findProject: (path) => findProject(path, timers),
    onListed: (tx, uri, by) => {
      changeSessionCount(tx, sync, by);
      if (by === -1) {
        membership.forget(uri);
        approvals.forget(tx, uri);
      }
      directories.changed(tx);
      chatDirectories.sessionListed(tx, uri, by);
      tx.effect(() => parts.emit(by === 1 ? 'sessionAdded' : 'sessionRemoved', { uri }));
    },
    chats: {
      make: (nowIso) => {
        const state = newChat({ resource: newChatUri(ids), modifiedAt: nowIso });
        return { state, summary: summaryOf(state) };
      },
      remove: (tx, session, chat) => removeChat(tx, { sync, turns }, session, chat),
    },
  };
  const accessTokens = await AccessTokens.load(journal, {
    clock,
    timers,
    ids,
    sync,
    ended: (tokenHash, isRevoked, revoking) => hub.endToken(tokenHash, isRevoked, revoking),
  });
  const files = new FileFinder({ clock, timers, log, privatePaths: workspace.privatePaths });
  const slices = new SliceScheduler(timers);
  Object.assign(made, { accessTokens, files });
  const commands: Commands = {
    listSessions: listSessions(sync, log),
    ...approvalCommands(sync, approvals, turns),
    ...searchCommands(sync, slices),
    ...tokenCommands(accessTokens),
    ...sessionCommands(sessionParts),
    ...importCommands({ ...sessionParts, timers, presence: lives, stopping: stopping.signal, attached }),
    ...chatCommands({
      sync,
      ids,
      agents,
      turns,
      locales,
      attached,
      resolveDirectory: (uri, caller) => workspace.resolveDirectory(uri, caller.isAdmin),
    }),
    ...completionCommands({
      sync,
      files,
      slices,
      remembered,
      workingDirectoryOf: (session, chat) => workingDirectoryOf(workspace, session, chat),
    }),
    ...terminalCommands({
      sync,
      terminals,
      resolveDirectory: (uri, caller) => workspace.resolveDirectory(uri, caller.isAdmin),
    }),
    ...resourceCommands(journal, readFile),
  };
  const ownerTokens = await OwnerTokens.load(sync);
  const hub: Hub = new Hub({
    sync,
    timers,
    log,
    commands,
    modules,
    limits: { ...DEFAULT_OUTBOX_LIMITS, ...options.outbox },
    facts: {
      serverInfo: { name, version },
      defaultDirectory: workspace.defaultDirectory,
      terminalCommandPrefix: COMMAND_PREFIX,
      completionTriggerCharacters: [...COMPLETION_TRIGGERS],
    },
    connectionLimits: () => ({
      maxConnections: numberSetting(config(), 'maxConnections'),
      maxConnectionsPerToken: numberSetting(config(), 'maxConnectionsPerToken'),
      maxSubscriptions: numberSetting(config(), 'maxSubscriptions'),
      maxSubscriptionsPerToken: numberSetting(config(), 'maxSubscriptionsPerToken'),
      maxAwayClientsPerToken: numberSetting(config(), 'maxAwayClientsPerToken'),
      maxMessagesPerSecond: numberSetting(config(), 'maxMessagesPerSecond'),
      maxPendingMessages: numberSetting(config(), 'maxPendingMessages'),
    }),
    lost: start.lost,
    bornSeq: start.reservedSeq,
    lives,
    departures: membership,
    isOwner: (tokenHash) => ownerTokens.isPresent(tokenHash),
    isGiven: (tokenHash) => accessTokens.isValid(tokenHash),
    isReplaced: (tokenHash) =>
      tokenHash === '' || ownerTokens.isReplaced(tokenHash) || accessTokens.isExpired(tokenHash),
  });
  return {
    sync,
    windows,
    hub,
    agents,
    turns,
    terminals,
    commands,
    ownerTokens,
    accessTokens,
    files,
    lives,
    stopping,
    dropTurns: async (chat, keep) => {
      await dropOldTurns(sync, chat, keep);
      await commit([]);
    },
  };
}

/** Absolute path of the folder that a chat works in: its own, or its session's [SESS-6]. */
async function workingDirectoryOf(
  workspace: Workspace,
  ...[session, chat]: Parameters<TurnParts['workingDirectoryOf']>
): Promise<string> {
  const entry = findChat(session.state.chats, chat.uri);
  const uri = entry?.workingDirectory ?? session.state.workingDirectory;
  try {
    // It was admitted when the session was made; here it only has to exist still.
    return (await workspace.resolveDirectory(uri, true)).path;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new AgentError('hostError', message, { cause: error });
  }
}
