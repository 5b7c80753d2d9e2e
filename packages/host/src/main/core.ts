import type { AgentRegistry } from '../agents/registry.ts';
import type { AccessTokens } from '../auth/access-tokens.ts';
import type { OwnerTokens } from '../auth/owner-tokens.ts';
import { automationCapabilities } from '../config/automation-capabilities.ts';
import { numberSetting } from '../config/host-config.ts';
import { agentsFeature } from '../features/agents/feature.ts';
import { annotationsFeature } from '../features/annotations/feature.ts';
import { approvalsFeature } from '../features/approvals/feature.ts';
import { attachmentsFeature } from '../features/attachments/feature.ts';
import { authFeature } from '../features/auth/feature.ts';
import { automationsFeature } from '../features/automations/feature.ts';
import { backupFeature } from '../features/backup/feature.ts';
import { catalogueFeature } from '../features/catalogue/feature.ts';
import { changesetFeature } from '../features/changeset/feature.ts';
import { chatFeature } from '../features/chat/feature.ts';
import { clientToolsFeature } from '../features/client-tools/feature.ts';
import { completionFeature } from '../features/completion/feature.ts';
import { customizationsFeature } from '../features/customizations/feature.ts';
import { diskUseFeature } from '../features/disk-use/feature.ts';
import { drainFeature } from '../features/drain/feature.ts';
import { FeatureList } from '../features/feature-list.ts';
import { grantsFeature } from '../features/grants/feature.ts';
import { historyFeature } from '../features/history/feature.ts';
import { importFeature } from '../features/import/feature.ts';
import { mcpFeature } from '../features/mcp/feature.ts';
import { openTurnsFeature } from '../features/open-turns/feature.ts';
import { presenceFeature } from '../features/presence/feature.ts';
import { previewsFeature } from '../features/previews/feature.ts';
import { pushFeature } from '../features/push/feature.ts';
import { resourceFeature } from '../features/resource/feature.ts';
import { resourceWatchFeature } from '../features/resource-watch/feature.ts';
import { rootFeature } from '../features/root/feature.ts';
import { searchFeature } from '../features/search/feature.ts';
import { sessionFeature } from '../features/session/feature.ts';
import { telemetryFeature } from '../features/telemetry/feature.ts';
import { terminalFeature } from '../features/terminal/feature.ts';
import { tokensFeature } from '../features/tokens/feature.ts';
import { turnsFeature } from '../features/turns/feature.ts';
import { wireFeature } from '../features/wire/feature.ts';
import { workingDirectoriesFeature } from '../features/working-directories/feature.ts';
import { worktreesFeature } from '../features/worktrees/feature.ts';
import { StatelessChannels } from '../handler-port/stateless-channels.ts';
import type { Journal, JournalStart } from '../journal/journal.ts';
import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SliceScheduler } from '../lib/slice-scheduler.ts';
import { PresentClients } from '../presence/present-clients.ts';
import type { PreviewList } from '../previews/preview-list.ts';
import { systemPortScanner } from '../previews/system-port-scanner.ts';
import { SessionListing } from '../sessions/catalogue.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { Sync } from '../sync/sync.ts';
import type { LogTap } from '../telemetry/logs/log-tap.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { Drain } from '../turns/drain.ts';
import type { TurnParts } from '../turns/parts.ts';
import type { TurnSupervisor } from '../turns/supervisor.ts';
import type { Hub } from '../wire/hub.ts';
import { findVsCode } from '../wire/vscode/ways.ts';
import { GrantStore } from '../workspace/access/grants.ts';
import { FileFinder } from '../workspace/completion/file-finder.ts';
import { findProject } from '../workspace/git-project.ts';
import { chokidarTrees } from '../workspace/watching/chokidar-tree.ts';
import { TreeWatchers } from '../workspace/watching/tree-watchers.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { backupTools } from './backup-tools.ts';
import type { HostEvents } from './events.ts';
import { type HostOptions, UNLOAD_AFTER_MS, worktreeDirOf } from './options.ts';
import { foldersOf, workingDirectories } from './session-folders.ts';
import { ptyOwnerOf, terminalSettings } from './terminal-parts.ts';
import { vsCodePort } from './vscode-port.ts';

/** A running host without its listener. */
export interface Core {
  readonly sync: Sync;
  readonly features: FeatureList;
  readonly hub: Hub;
  readonly agents: AgentRegistry;
  readonly terminals: Terminals;
  readonly turns: TurnSupervisor;
  readonly drain: Drain;
  readonly previews: PreviewList;
  readonly telemetry: Telemetry;
  readonly ownerTokens: OwnerTokens;
  readonly accessTokens: AccessTokens;
  /**
   * Removes all completed turns of a chat except the newest `keep`, for all clients. Resolves when the
   * removal is durable.
   */
  dropTurns(chat: string, keep: number): Promise<void>;
  /** Sets the function that ends listening, which the wire calls when it stops. */
  whenWireStops(stop: () => Promise<void>): void;
  /** Stops the features, the last one first, then the commit path. The journal stays open. */
  stop(): Promise<void>;
}

interface CoreParts {
  readonly options: HostOptions;
  readonly journal: Journal;
  readonly start: JournalStart;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  /** Reads the lines of `log` for telemetry. */
  readonly logTap: LogTap;
  /** Emits an event to the program that runs the host. */
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void;
}

/**
 * Creates the features of a host on an open journal, and recovers the work that was open. No client is
 * connected yet. A failed start releases everything.
 */
export async function startCore(parts: CoreParts): Promise<Core> {
  const { log, emit } = parts;
  const sync = new Sync(parts);
  const features = new FeatureList(log);
  const stop = async (): Promise<void> => {
    sync.path.beginStop();
    await features.stop();
    await sync.path.stop();
  };
  try {
    sync.path.onHealth((failure) => {
      if (failure === undefined) emit('journalRecovered', {});
      else emit('journalUnavailable', failure);
    });
    // With a reservation the host can send refusals even if the first commit fails. A full disk is also found
    // at once.
    await sync.sequencer.reserve();
    const core = await addFeatures(parts, sync, features);
    await features.recover();
    return { ...core, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The features of a host in the order of their start; they stop in the opposite order. */
async function addFeatures(parts: CoreParts, sync: Sync, features: FeatureList): Promise<Omit<Core, 'stop'>> {
  const { options, journal, start, workspace, clock, timers, ids, log, logTap, emit } = parts;
  const { name = 'agenthost', version = '0.0.0' } = options.serverInfo ?? {};
  const { unloadAfterMs = UNLOAD_AFTER_MS } = options;
  const common = { sync, clock, timers, ids, log, workspace };
  const automations =
    options.automations &&
    automationCapabilities(options.automations, {
      copiesPlugins: options.customizations !== undefined && options.dataDir !== undefined,
    });
  const listing = new SessionListing();
  const slices = new SliceScheduler(timers);
  const resolveDirectory: SessionParts['resolveDirectory'] = (uri, { isAdmin }) =>
    workspace.resolveDirectory(uri, isAdmin);
  const workingDirectoriesOf = workingDirectories(workspace);
  const workingDirectoryOf: TurnParts['workingDirectoryOf'] = async (session, chat) =>
    (await workingDirectoriesOf(session, chat))[0];

  const { telemetry } = features.add(
    telemetryFeature({ ...common, tap: logTap, serverInfo: { name, version }, options: options.telemetry }),
  );
  features.add(historyFeature({ sync, clock, unloadAfterMs }));
  features.add(catalogueFeature(common));
  features.add(openTurnsFeature(sync));
  const { attachments } = features.add(attachmentsFeature(sync, ids));
  const tokens = features.add(await tokensFeature({ ...common, listing }));
  const presentClients = new PresentClients({ clock, timers, path: sync.path });
  features.add(presenceFeature(presentClients));
  const { agents, children, remembered, configs, progress } = features.add(
    await agentsFeature({
      ...common,
      makeProviders: (children) => {
        const services = { children, log, clock, timers, ids };
        return options.agents.map((make) => make(services));
      },
      makeOthers: (children) => {
        const services = { children, log, clock, timers, ids };
        return (options.otherAgents ?? []).map((make) => make(services));
      },
    }),
  );
  const stateless = new StatelessChannels(telemetry.channels);
  const wire = features.add(
    wireFeature({
      ...common,
      ...tokens,
      start,
      features,
      presentClients,
      stateless,
      serverInfo: { name, version },
      defaultDirectory: workspace.defaultDirectory,
      automations,
      outbox: options.outbox,
      graceMs: options.graceMs,
      findWays: findVsCode(vsCodePort({ sync, agents, configs, workspace, log })),
      wrapTransport: options.wrapTransport,
    }),
  );
  const { hub, presence } = wire;
  telemetry.readConnections(hub);
  const drain = await Drain.load({ ...common, onBegin: (begun) => emit('drainBegan', begun) });
  features.add(
    rootFeature({
      sync,
      agents,
      listing,
      settings: {
        hostBuild: `${name} ${version}`,
        defaultAgent: options.defaultAgent ?? agents.ids[0],
        fixed: options.config ?? {},
      },
    }),
  );
  const { terminals } = features.add(
    terminalFeature({
      ...common,
      ...terminalSettings(options, version, () =>
        numberSetting(sync.root.state.config, 'terminalScrollbackKilobytes'),
      ),
      owner: ptyOwnerOf(options, version, log),
      unloadAfterMs,
      maxTerminals: () => numberSetting(sync.root.state.config, 'maxTerminals'),
      presence,
      clientIds: hub.clients,
      resolveDirectory,
    }),
  );
  const { directories } = features.add(await workingDirectoriesFeature({ sync, log, listing }));
  const listFolders = (): Promise<string[]> => directories.list();
  const grants = await GrantStore.load(sync, ids);
  const { files, folders, policy } = workspace.filesFor(listFolders, grants);
  const { privatePaths } = workspace;
  const watchers = new TreeWatchers({
    ...common,
    privatePaths,
    openTree: options.openTree ?? chokidarTrees(log),
  });
  // Before the turns, whose recovery closes what an earlier host left open.
  features.add(
    resourceWatchFeature({
      ...common,
      watchers,
      policy,
      presence,
    }),
  );
  const { beforeTurn, readContent } = features.add(
    await changesetFeature({
      ...common,
      watchers,
      dataDir: options.dataDir,
      workingDirectoryOf,
      workingDirectoriesOf,
    }),
  );
  // Turns use worktrees, and worktrees turns. No session exists before both do.
  const late: { turns?: TurnSupervisor; checkTurn?: Awaited<ReturnType<typeof authFeature>>['checkTurn'] } =
    {};
  const { worktrees } = features.add(
    await worktreesFeature({
      ...common,
      agents,
      listing,
      terminals,
      listFolders,
      worktreeDir: worktreeDirOf(options),
      turns: {
        directoriesChanged: (chats) => late.turns?.directoriesChanged(chats),
        agentsClosed: async () => late.turns?.agentsClosed(),
      },
    }),
  );
  const customizations =
    options.customizations === undefined
      ? undefined
      : features.add(
          await customizationsFeature({
            ...common,
            agents,
            remembered,
            watchers,
            privatePaths,
            children,
            workingDirectoryOf,
            listing,
            dataDir: options.dataDir,
            userFolder: options.customizations.userFolder,
            toolsChanged: (chats) => late.turns?.toolsChanged(chats),
            connectionOf: (clientId) => hub.connectionOf(clientId),
          }),
        ).customizations;
  const mcp = features.add(
    await mcpFeature({
      ...common,
      listing,
      children,
      version,
      dataDir: options.dataDir,
      mcpServers: options.mcpServers ?? {},
      projectMcpServers: options.projectMcpServers ?? true,
      plugins: customizations,
      answersTools: ({ provider }) =>
        agents.providers.find(({ id }) => id === provider)?.answersTools === true,
      foldersOf: foldersOf(workspace.defaultDirectory),
      toolsChanged: (chats) => late.turns?.toolsChanged(chats),
    }),
  );
  const { turns, approvals, contents, locales, signIns, readLines, hostTools } = features.add(
    await turnsFeature({
      contribute: customizations?.contribute,
      expand: customizations?.expand,
      ...common,
      agents,
      remembered,
      progress,
      attachments,
      terminals,
      workingDirectoryOf,
      workingDirectoriesOf,
      beforeTurn,
      ...worktrees,
      prepareSession: async (session) => {
        await worktrees.prepareSession(session);
        await mcp.prepareSession(session);
      },
      prepareTurn: async (turn) => {
        late.checkTurn?.(turn);
        await worktrees.prepareTurn(turn);
        await mcp.prepareTurn(turn);
      },
      readElsewhere: (uri, maxBytes) => mcp.library.read(uri, maxBytes),
      promptText: (session, message) => mcp.library.promptText(session, message),
      listFolders,
    }),
  );
  late.turns = turns;
  stateless.side = mcp.side;
  mcp.join({ hostTools, signIns });
  customizations?.join(hostTools);
  const { isSignedIn, checkTurn } = features.add(
    await authFeature({
      ...common,
      agents,
      signIns,
      presence,
      presentClients,
      path: sync.path,
    }),
  );
  late.checkTurn = checkTurn;
  features.add(approvalsFeature({ sync, approvals, turns, listing }));
  features.add(clientToolsFeature({ ...common, presence, listing }));
  const sessions = {
    isSignedIn,
    ...common,
    agents,
    turns,
    terminals,
    progress,
    configs,
    listing,
    resolveDirectory,
    findProject: (path: string) => findProject(path, timers),
    ...worktrees,
  };
  const { createOwn } = features.add(sessionFeature({ ...sessions, presence, log }));
  features.add(importFeature({ ...sessions, presence, attachments }));
  const { dropTurns } = features.add(
    chatFeature({ ...common, agents, turns, drain, locales, contents, attachments, resolveDirectory }),
  );
  features.add(
    completionFeature({
      ...common,
      slices,
      remembered,
      customizations,
      mcp: mcp.library,
      files: new FileFinder({ clock, timers, log, privatePaths: workspace.privatePaths }),
      workingDirectoryOf,
    }),
  );
  const { portScanner = systemPortScanner() } = options;
  const { previews } = features.add(
    previewsFeature({
      ...common,
      ...tokens,
      terminals,
      turns,
      listing,
      presentClients,
      scanner: portScanner === false ? undefined : portScanner,
    }),
  );
  features.add(annotationsFeature({ ...common, agents, readLines, hostTools, workingDirectoryOf }));
  features.add(searchFeature(sync, slices));
  features.add(diskUseFeature(sync, options.dataDir));
  features.add(
    backupFeature({
      tools: backupTools,
      sync,
      clock,
      version,
      lastTime: start.lastTime,
      dataDir: options.dataDir,
    }),
  );
  const { dataDir, push } = options;
  features.add(await pushFeature({ ...common, ...tokens, features, presentClients, dataDir, options: push }));
  features.add(
    resourceFeature({ journal, readBlob: readContent, nextTurn: () => sync.path.nextTurn() }, files, folders),
  );
  features.add(grantsFeature({ ...common, ...tokens, grants, files, presentClients }));
  if (automations !== undefined)
    features.add(
      automationsFeature({
        ...sessions,
        ...tokens,
        log,
        attachments,
        drain,
        createOwn,
        capabilities: automations,
        plugins: customizations?.copies,
      }),
    );
  // It stops first: the others start nothing that has waited.
  features.add(drainFeature(drain, hub));
  listing.onList((tx, uri, by) =>
    tx.effect(() => emit(by === 1 ? 'sessionAdded' : 'sessionRemoved', { uri })),
  );
  return {
    sync,
    features,
    hub,
    agents,
    terminals,
    turns,
    drain,
    previews,
    telemetry,
    ...tokens,
    dropTurns,
    whenWireStops: wire.whenStopped,
  };
}
