import type {
  Customization,
  McpAuthRequirement,
  McpServerCustomization,
  McpServerState,
  SessionState,
} from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { ChildRegistry } from '../../agents/provider.ts';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { McpConsents } from './consents.ts';
import { isHostsServer, type NamedServer, namedServers } from './named-servers.ts';
import { PROJECT_FILE } from './project-file.ts';
import { McpServer } from './server.ts';
import { ServerLog } from './server-log.ts';
import { capabilitiesOf, sideChannelUri } from './side-channels.ts';
import type { SideNotification } from './side-notification.ts';
import type { McpTokens } from './tokens.ts';
import { isForModels } from './tool-audience.ts';
import type { OfferedMcpTool } from './tool-calls.ts';
import { toolDefinition } from './tool-definition.ts';
import { toolNames } from './tool-names.ts';

/** Services for the servers of all sessions. */
export interface SessionServersParts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly children: ChildRegistry;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The servers of the host's config. */
  readonly hostEntries: readonly McpServerEntry[];
  /** Whether `.mcp.json` of projects is read. */
  readonly readsProjects: boolean;
  /** The servers of the plugins of a session. */
  pluginsOf(session: string): readonly PluginServer[];
  readonly consents: McpConsents;
  readonly tokens: McpTokens;
  /** Whether the agent of a session answers requests of servers for a model. */
  answersTools(state: SessionState): boolean;
  /** Absolute paths of the folders that a session works in, the primary one first. */
  foldersOf(state: SessionState): readonly string[];
  /** The tools of a session have changed. */
  toolsChanged(session: string): void;
  /** A server waits for a token. Returns a function that ends the wait. */
  awaitToken(auth: McpAuthRequirement, granted: (token: Parameters<McpTokens['set']>[1]) => void): () => void;
  /** The channel of a server is closed. */
  channelClosed(uri: string): void;
  /** A server sends a notification to the subscribers of its channel. */
  notify(uri: string, method: SideNotification, params: object): void;
  /** Whether a session has servers that are not stopped. In the transaction that changes it. */
  runningChanged(tx: Tx, session: string, isRunning: boolean): void;
}

/** One server of a session. */
export interface ListedServer extends NamedServer {
  readonly server: McpServer;
  readonly log: ServerLog;
}

/** The same with what its owner needs. */
interface Listed extends ListedServer {
  /** Ends the wait for a token. */
  stopWaiting: () => void;
  /** What its channel forwards, since it was first ready. */
  mcpApp?: McpServerCustomization['mcpApp'];
}

/** The servers of one session. */
export class SessionServers {
  readonly #parts: SessionServersParts;
  readonly #uri: string;
  #all: readonly Listed[] = [];
  #folders: readonly string[] = [];
  #faults: readonly string[] = [];
  #answersTools = false;
  /** Ids of servers that a person has stopped, until they are started again or the host ends. */
  readonly #stopped = new Set<string>();
  #tools: readonly OfferedMcpTool[] = [];
  #refreshing: Promise<void> = Promise.resolve();
  /** Keeps the session in memory while servers run. */
  #release: (() => void) | undefined;
  #isEnded = false;

  constructor(parts: SessionServersParts, uri: string) {
    this.#parts = parts;
    this.#uri = uri;
  }

  /** The tools of ready servers, with names for agents. */
  get tools(): readonly OfferedMcpTool[] {
    return this.#tools;
  }

  /** The folder whose project names servers. */
  get #folder(): string {
    return this.#folders[0] ?? '';
  }

  get all(): readonly ListedServer[] {
    return this.#all;
  }

  find(id: string): McpServer | undefined {
    return this.#all.find((each) => each.id === id)?.server;
  }

  /** Servers that nobody has decided about. */
  get undecided(): readonly NamedServer[] {
    return this.#all
      .filter((each) => this.#decisionOf(each) === undefined)
      .map(({ server: _, log: __, mcpApp: ___, stopWaiting: ____, ...named }) => named);
  }

  /** What is wrong with the file of the project. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Reads the servers again, shows them as customizations, and stops those that are gone. Calls wait for each other. */
  refresh(): Promise<void> {
    const done = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = done.catch(() => undefined);
    return done;
  }

  /** Starts what is not running and may run. Servers that failed get another chance. */
  startAll(): void {
    for (const each of this.#all) if (this.#mayStart(each)) each.server.start();
  }

  /** A person starts a server. One of a project that nobody has allowed shows an error instead. */
  start(id: string): void {
    const listed = this.#all.find((each) => each.id === id);
    if (listed === undefined || this.#isEnded) return this.#show(id, { kind: 'stopped' });
    this.#stopped.delete(id);
    if (this.#decisionOf(listed) !== 'allowed') {
      return listed.server.refuse({
        errorType: 'consentRequired',
        message: `Nobody has allowed this server of ${listed.plugin === undefined ? PROJECT_FILE : `the plugin ${listed.plugin}`} yet. The next message in this session asks.`,
      });
    }
    if (!this.#isEnabled(id)) return this.#show(id, { kind: 'stopped' });
    listed.server.start();
    // The request has replaced the state that clients see.
    this.#show(id, listed.server.state);
  }

  /** A person stops a server. */
  async stop(id: string): Promise<void> {
    this.#stopped.add(id);
    await this.find(id)?.stop();
  }

  /** Stops servers that were disabled, and starts those that were enabled. */
  followEnablement(): void {
    for (const { id, server } of this.#all) if (!this.#isEnabled(id)) void server.stop();
    this.startAll();
  }

  /** Stops servers that may no longer run, and starts those that may. */
  followDecisions(): void {
    for (const each of this.#all) if (this.#decisionOf(each) !== 'allowed') void each.server.stop();
    this.startAll();
  }

  /** Resolves when no server holds turns, or `signal` aborts. */
  async unblocked(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map(({ server }) => server.unblocked(signal)));
  }

  /** Stops all servers, which are never started again. Resolves when their programs have ended. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.stopAll();
  }

  /** Stops all servers. Resolves when their programs have ended. */
  async stopAll(): Promise<void> {
    await this.#refreshing;
    await Promise.all(this.#all.map((each) => this.#end(each)));
  }

  get isRunning(): boolean {
    return this.#all.some(({ server }) => server.state.kind !== 'stopped');
  }

  async #refresh(): Promise<void> {
    const session = await this.#parts.sync.registry.openOf('session', this.#uri);
    if (session === undefined) return;
    const folders = this.#parts.foldersOf(session.state);
    const rootsChanged = !sameJson(folders, this.#folders);
    this.#folders = folders;
    this.#answersTools = this.#parts.answersTools(session.state);
    const { hostEntries, readsProjects, log, pluginsOf } = this.#parts;
    const about = { session: this.#uri, folder: this.#folder };
    const { servers: named, faults } = await namedServers({
      hostEntries,
      folder: readsProjects ? this.#folder : '',
      plugins: pluginsOf(this.#uri),
    });
    if (!sameJson(faults, this.#faults)) for (const fault of faults) log.warn(about, fault);
    this.#faults = faults;
    const kept = new Map<string, Listed>();
    const gone: Listed[] = [];
    for (const each of this.#all) {
      const same = named.find((one) => one.id === each.id && isSame(one, each));
      if (same === undefined) gone.push(each);
      else kept.set(each.id, each);
    }
    await Promise.all(gone.map((each) => this.#end(each)));
    this.#all = named.map((each) => kept.get(each.id) ?? this.#listed(each));
    if (rootsChanged) for (const { server } of kept.values()) server.rootsChanged();
    this.#publish();
  }

  #listed(named: NamedServer): Listed {
    const { tokens, log } = this.#parts;
    const { entry } = named;
    const url = entry.kind === 'stdio' ? undefined : entry.url;
    const lines = new ServerLog(this.#parts.clock);
    const server = new McpServer({
      ...this.#parts,
      environment: { ...this.#parts.environment, ...pluginVariables(named) },
      entry,
      folder: this.#folder,
      answersTools: this.#answersTools,
      roots: () => this.#folders,
      token: () => (url === undefined ? nothing : tokens.of(url)),
      tokenInsteadOf: (refused) => (url === undefined ? nothing : tokens.insteadOf(url, refused)),
      onState: (state) => this.#follow(listed, state),
      onToolsChanged: () => this.#collectTools(),
      onNotification: (method, params) =>
        this.#parts.notify(sideChannelUri(this.#uri, named.id), method, params),
      onLog: (level, text) => {
        lines.add(level, text);
        const write = /^(error|critical|alert|emergency)$/.test(level) ? 'warn' : 'debug';
        log[write]({ session: this.#uri, mcpServer: entry.name, level }, text.slice(0, 4_000));
      },
    });
    const listed: Listed = { ...named, server, log: lines, stopWaiting: () => undefined };
    return listed;
  }

  #follow(listed: Listed, state: McpServerState): void {
    listed.stopWaiting();
    listed.stopWaiting = () => undefined;
    const { entry, server } = listed;
    const about = { session: this.#uri, mcpServer: entry.name };
    if (state.kind === 'error')
      this.#parts.log.warn({ ...about, problem: state.error.message }, 'an MCP server has failed');
    else this.#parts.log.debug(about, `an MCP server is ${state.kind}`);
    if (state.kind === 'authRequired' && entry.kind !== 'stdio') {
      listed.stopWaiting = this.#parts.awaitToken(state, (token) => {
        // It holds in memory at once. So the state has changed before the client that signed in gets its answer.
        void this.#parts.tokens.set(entry.url, token);
        if (server.state !== state) return;
        if (server.connection !== undefined) server.resume();
        else if (!this.#isEnded) server.start();
      });
    }
    this.#show(listed.id, state);
  }

  async #end(listed: Listed): Promise<void> {
    await listed.server.stop();
    listed.stopWaiting();
  }

  #collectTools(): void {
    const offered = this.#all.flatMap(({ id, prefix, server }) =>
      server.tools.filter(isForModels).map((tool) => ({ id, prefix, server, tool })),
    );
    const names = toolNames(offered.map(({ prefix, tool }) => ({ server: prefix, tool: tool.name })));
    this.#tools = offered.map((each, index) => {
      const name = names[index] ?? each.tool.name;
      return { ...each, name, definition: toolDefinition(name, each.server.entry.name, each.tool) };
    });
    this.#parts.toolsChanged(this.#uri);
  }

  #mayStart(listed: Listed): boolean {
    return (
      !this.#isEnded &&
      this.#decisionOf(listed) === 'allowed' &&
      !this.#stopped.has(listed.id) &&
      this.#isEnabled(listed.id)
    );
  }

  /** Servers of plugins that are disabled are not listed. */
  #isEnabled(id: string): boolean {
    const shown = this.#session?.state.customizations?.find((each) => each.id === id);
    const enablement = shown?.type === 'mcpServer' ? shown.enablement : undefined;
    return enablement?.[0]?.enabled ?? true;
  }

  #decisionOf({ place, entry }: NamedServer): ReturnType<McpConsents['of']> {
    return place === undefined ? 'allowed' : this.#parts.consents.of(place, entry);
  }

  get #session(): Channel<'session'> | undefined {
    return this.#parts.sync.registry.getOf('session', this.#uri);
  }

  /** Shows all servers as customizations of the session, and removes those that are gone. */
  #publish(): void {
    this.#parts.sync.transact('host', (tx) => {
      const session = this.#session;
      if (session === undefined) return;
      const shown = session.state.customizations ?? [];
      for (const each of shown) {
        const isGone = isHostsServer(each.id) && !this.#all.some(({ id }) => id === each.id);
        if (isGone) tx.emit(session, { type: 'session/customizationRemoved', id: each.id });
      }
      for (const { id, source, uri, entry, server, mcpApp } of this.#all) {
        // Those of plugins are children of other customizations.
        if (source === 'plugin') continue;
        const before = shown.find((each) => each.id === id);
        const { enablement } = before?.type === 'mcpServer' ? before : {};
        const customization: McpServerCustomization = {
          type: 'mcpServer',
          id,
          uri,
          name: entry.name,
          state: server.state,
          ...defined({ enablement, mcpApp, channel: this.#channelOf(id, server.state) }),
        };
        if (!sameJson(before, customization))
          tx.emit(session, { type: 'session/customizationUpdated', customization });
      }
    });
  }

  /** Shows the state of one server, and keeps the session in memory while servers run. */
  #show(id: string, state: McpServerState): void {
    const { sync, runningChanged } = this.#parts;
    sync.transact('host', (tx) => {
      const session = this.#session;
      if (session === undefined) return;
      const { isRunning } = this;
      if (isRunning !== (this.#release !== undefined)) {
        this.#release?.();
        this.#release = isRunning ? session.pin() : undefined;
        runningChanged(tx, this.#uri, isRunning);
      }
      this.#showAbilities(tx, session, id);
      const channel = this.#channelOf(id, state);
      if (channel === undefined) tx.effect(() => this.#parts.channelClosed(sideChannelUri(this.#uri, id)));
      tx.emit(session, {
        type: 'session/mcpServerStateChanged',
        id,
        state,
        ...defined({ channel }),
      });
    });
  }

  /** Shows what the channel of a server forwards [MCP-2], when that has changed. */
  #showAbilities(tx: Tx, session: Channel<'session'>, id: string): void {
    const listed = this.#all.find((each) => each.id === id);
    const capabilities = listed && capabilitiesOf(listed.server);
    if (listed === undefined || capabilities === undefined) return;
    listed.mcpApp = { capabilities };
    const { mcpApp } = listed;
    for (const shown of session.state.customizations ?? []) {
      const customization = withAbilities(shown, id, mcpApp);
      if (customization !== shown) tx.emit(session, { type: 'session/customizationUpdated', customization });
    }
  }

  /** The channel of a server that is ready; `undefined`: it is closed. */
  #channelOf(id: string, { kind }: McpServerState): string | undefined {
    return kind === 'ready' ? sideChannelUri(this.#uri, id) : undefined;
  }
}

const nothing = Promise.resolve(undefined);

/** A customization with what the channel of a server forwards: of itself or of a child. The same object: nothing changes. */
function withAbilities<T extends Customization>(
  shown: T,
  id: string,
  mcpApp: McpServerCustomization['mcpApp'],
): T {
  if (shown.type === 'mcpServer')
    return shown.id !== id || sameJson(shown.mcpApp, mcpApp) ? shown : { ...shown, ...defined({ mcpApp }) };
  const child = shown.children?.find((each) => each.id === id);
  if (child?.type !== 'mcpServer' || sameJson(child.mcpApp, mcpApp)) return shown;
  const changed = { ...child, ...defined({ mcpApp }) };
  return { ...shown, children: shown.children?.map((each) => (each === child ? changed : each)) };
}

const isSame = (a: NamedServer, b: NamedServer): boolean =>
  sameJson(a.entry, b.entry) && a.place === b.place && a.prefix === b.prefix;

/** What stands for the folder of a plugin in its entries. */
const pluginVariables = ({ root }: NamedServer): Record<string, string> =>
  root === undefined ? {} : { PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root };
