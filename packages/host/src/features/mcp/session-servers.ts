import { realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type {
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
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { McpConsents } from './consents.ts';
import { PROJECT_FILE, readProjectFile } from './project-file.ts';
import { McpServer } from './server.ts';
import type { McpTokens } from './tokens.ts';
import type { OfferedMcpTool } from './tool-calls.ts';
import { toolDefinition } from './tool-definition.ts';
import { toolNames } from './tool-names.ts';

/** Where a server is named: in the config of the host, or by the project. */
export type McpSource = 'host' | 'project';

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
  readonly consents: McpConsents;
  readonly tokens: McpTokens;
  /** Absolute paths of the folders that a session works in, the primary one first. */
  foldersOf(state: SessionState): readonly string[];
  /** The tools of a session have changed. */
  toolsChanged(session: string): void;
  /** A server waits for a token. Returns a function that ends the wait. */
  awaitToken(auth: McpAuthRequirement, granted: (token: Parameters<McpTokens['set']>[1]) => void): () => void;
  /** Whether a session has servers that are not stopped. In the transaction that changes it. */
  runningChanged(tx: Tx, session: string, isRunning: boolean): void;
}

/** One server of a session. */
export interface ListedServer {
  /** Id of its customization. */
  readonly id: string;
  readonly source: McpSource;
  /** First part of the names of its tools and prompts. */
  readonly prefix: string;
  readonly server: McpServer;
}

/** The same with what its owner needs. */
interface Listed extends ListedServer {
  readonly uri: string;
  readonly entry: McpServerEntry;
  /** Ends the wait for a token. */
  stopWaiting: () => void;
}

/** Prefix of the ids of servers, by source. */
const ID = { host: 'mcp-host-', project: 'mcp-project-' } as const;

/** Whether an id is one of a server that this host runs. */
export const isHostsServer = (id: string): boolean => id.startsWith(ID.host) || id.startsWith(ID.project);

/** The servers of one session. */
export class SessionServers {
  readonly #parts: SessionServersParts;
  readonly #uri: string;
  #all: readonly Listed[] = [];
  #folders: readonly string[] = [];
  /** Ids of servers that a person has stopped, until they are started again or the host ends. */
  readonly #stopped = new Set<string>();
  #tools: readonly OfferedMcpTool[] = [];
  #refreshing: Promise<void> = Promise.resolve();
  /** Keeps the session in memory while servers run. */
  #release: (() => void) | undefined;

  constructor(parts: SessionServersParts, uri: string) {
    this.#parts = parts;
    this.#uri = uri;
  }

  /** The tools of ready servers, with names for agents. */
  get tools(): readonly OfferedMcpTool[] {
    return this.#tools;
  }

  /** The folder whose project names servers. */
  get folder(): string {
    return this.#folders[0] ?? '';
  }

  get all(): readonly ListedServer[] {
    return this.#all;
  }

  find(id: string): McpServer | undefined {
    return this.#all.find((each) => each.id === id)?.server;
  }

  /** Servers of the project that nobody has decided about. */
  get undecided(): readonly McpServerEntry[] {
    return this.#all.flatMap(({ source, entry }) =>
      source === 'project' && this.#decisionOf(entry) === undefined ? [entry] : [],
    );
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
    if (listed === undefined) return this.#show(id, { kind: 'stopped' });
    this.#stopped.delete(id);
    if (listed.source === 'project' && this.#decisionOf(listed.entry) !== 'allowed') {
      return listed.server.refuse({
        errorType: 'consentRequired',
        message: `Nobody has allowed this server of ${PROJECT_FILE} yet. The next message in this session asks.`,
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

  /** Stops servers of the project that may no longer run, and starts those that may. */
  followDecisions(): void {
    for (const { source, entry, server } of this.#all)
      if (source === 'project' && this.#decisionOf(entry) !== 'allowed') void server.stop();
    this.startAll();
  }

  /** Resolves when no server holds turns, or `signal` aborts. */
  async unblocked(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map(({ server }) => server.unblocked(signal)));
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
    const named = await this.#named();
    const kept = new Map<string, Listed>();
    const gone: Listed[] = [];
    for (const each of this.#all) {
      const same = named.find(({ id, entry }) => id === each.id && sameJson(entry, each.entry));
      if (same === undefined) gone.push(each);
      else kept.set(each.id, each);
    }
    await Promise.all(gone.map((each) => this.#end(each)));
    this.#all = named.map((each) => kept.get(each.id) ?? this.#listed(each));
    if (rootsChanged) for (const { server } of kept.values()) server.rootsChanged();
    this.#publish();
  }

  async #named(): Promise<Pick<Listed, 'id' | 'source' | 'prefix' | 'uri' | 'entry'>[]> {
    const { hostEntries, readsProjects, log } = this.#parts;
    const named = hostEntries.map((entry) => ({
      id: `${ID.host}${entry.name}`,
      source: 'host' as const,
      prefix: entry.name,
      uri: entry.kind === 'stdio' ? `x-agenthost-config:/mcpServers/${entry.name}` : entry.url,
      entry,
    }));
    const { folder } = this;
    const real = readsProjects && folder !== '' ? await realpath(folder).catch(() => undefined) : undefined;
    const project = real === undefined ? undefined : await readProjectFile(real);
    if (real === undefined || project === undefined) return named;
    for (const { name, problem } of project.faults) {
      const place = name === '' ? PROJECT_FILE : `${PROJECT_FILE}: ${name}`;
      log.warn({ session: this.#uri, folder: real }, `${place}: ${problem}`);
    }
    const uri = pathToFileURL(`${real}/${PROJECT_FILE}`).href;
    const taken = new Set(named.map(({ prefix }) => prefix));
    const more = project.entries.map((entry) => ({
      id: `${ID.project}${entry.name}`,
      source: 'project' as const,
      prefix: taken.has(entry.name) ? `project_${entry.name}` : entry.name,
      uri,
      entry,
    }));
    return [...named, ...more];
  }

  #listed(named: Pick<Listed, 'id' | 'source' | 'prefix' | 'uri' | 'entry'>): Listed {
    const { tokens, log } = this.#parts;
    const { entry } = named;
    const url = entry.kind === 'stdio' ? undefined : entry.url;
    const server = new McpServer({
      ...this.#parts,
      entry,
      folder: this.folder,
      roots: () => this.#folders,
      token: () => (url === undefined ? undefined : tokens.of(url)),
      onState: (state) => this.#follow(listed, state),
      onToolsChanged: () => this.#collectTools(),
      onLog: (level, text) => {
        const write = /^(error|critical|alert|emergency)$/.test(level) ? 'warn' : 'debug';
        log[write]({ session: this.#uri, mcpServer: entry.name, level }, text.slice(0, 4_000));
      },
    });
    const listed: Listed = { ...named, server, stopWaiting: () => undefined };
    return listed;
  }

  #follow(listed: Listed, state: McpServerState): void {
    listed.stopWaiting();
    listed.stopWaiting = () => undefined;
    const { entry, server } = listed;
    if (state.kind === 'authRequired' && server.connection === undefined && entry.kind !== 'stdio') {
      listed.stopWaiting = this.#parts.awaitToken(state, (token) => {
        void this.#parts.tokens.set(entry.url, token).then(() => {
          if (server.state === state) server.start();
        });
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
      server.tools.map((tool) => ({ id, prefix, server, tool })),
    );
    const names = toolNames(offered.map(({ prefix, tool }) => ({ server: prefix, tool: tool.name })));
    this.#tools = offered.map((each, index) => {
      const name = names[index] ?? each.tool.name;
      return { ...each, name, definition: toolDefinition(name, each.server.entry.name, each.tool) };
    });
    this.#parts.toolsChanged(this.#uri);
  }

  #mayStart({ id, source, entry }: Listed): boolean {
    const isAllowed = source === 'host' || this.#decisionOf(entry) === 'allowed';
    return isAllowed && !this.#stopped.has(id) && this.#isEnabled(id);
  }

  #isEnabled(id: string): boolean {
    const shown = this.#session?.state.customizations?.find((each) => each.id === id);
    const enablement = shown?.type === 'mcpServer' ? shown.enablement : undefined;
    return enablement?.[0]?.enabled ?? true;
  }

  #decisionOf(entry: McpServerEntry): ReturnType<McpConsents['of']> {
    return this.#parts.consents.of(this.folder, entry);
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
      for (const { id, uri, entry, server } of this.#all) {
        const before = shown.find((each) => each.id === id);
        const { enablement } = before?.type === 'mcpServer' ? before : {};
        const customization: McpServerCustomization = {
          type: 'mcpServer',
          id,
          uri,
          name: entry.name,
          state: server.state,
          ...defined({ enablement }),
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
      tx.emit(session, { type: 'session/mcpServerStateChanged', id, state });
    });
  }
}
