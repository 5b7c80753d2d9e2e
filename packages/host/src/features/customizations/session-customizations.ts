import type { AgentInfo, SessionCustomizationToggledAction } from '@agenthost/protocol';
import { errorText, sameJson } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { RememberedAgents } from '../../agents/remembered.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { commandsOf } from '../../turns/agent/agent-commands.ts';
import type { Contribute } from '../../turns/contribution.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import type { ParsedChild } from './child.ts';
import type { ClientPlugins } from './client-plugins.ts';
import { contributionTo } from './contribution.ts';
import type { Decisions } from './decisions.ts';
import { PROJECT_LAYOUT, USER_LAYOUT } from './layout.ts';
import { Place, type PlaceParts } from './place.ts';
import { type PluginServer, pluginServers } from './plugin-servers.ts';
import { type ResolvedContainer, resolve } from './resolve.ts';
import { publishList } from './session-list.ts';

/** What customizations need of the host. */
export interface CustomizationParts extends PlaceParts {
  readonly sync: Sync;
  readonly decisions: Decisions;
  readonly clientPlugins: ClientPlugins;
  readonly agents: AgentRegistry;
  readonly remembered: RememberedAgents;
  /** Absolute path of the folder of the user's own customizations. Absent: there is none. */
  readonly userFolder: string | undefined;
}

/** A folder that sessions use. */
interface SharedPlace {
  readonly place: Place;
  readonly users: Set<string>;
}

/** Finds the customizations of sessions, shows them as state, and passes those in effect to turns [CUST-1] [CUST-2]. */
export class SessionCustomizations {
  readonly #parts: CustomizationParts;
  readonly #places = new Map<string, SharedPlace>();
  /** The containers of each session that is looked at, as last resolved. */
  readonly #resolved = new Map<string, readonly ResolvedContainer[]>();
  readonly #running = new Set<Promise<unknown>>();
  /** Called with a session whose MCP servers of plugins have changed. */
  onServers: (session: string) => void = () => undefined;
  #isStopped = false;

  constructor(parts: CustomizationParts) {
    this.#parts = parts;
  }

  /** Looks at the customizations of a session from now on, or again. Never rejects. */
  async refresh(uri: string): Promise<void> {
    if (this.#isStopped) return;
    const running = this.#refresh(uri).catch((error: unknown) =>
      this.#parts.log.warn(
        { error: errorText(error), session: uri },
        'the customizations of a session were not read',
      ),
    );
    this.#running.add(running);
    await running;
    this.#running.delete(running);
  }

  /** Looks again at all sessions that are looked at. */
  refreshAll(): void {
    for (const uri of this.#resolved.keys()) void this.refresh(uri);
  }

  /** Starts with sessions that have subscribers, and ends with those that are not in memory any longer. */
  sweep(): void {
    const { registry } = this.#parts.sync;
    for (const channel of registry.all())
      if (channel.is('session') && channel.subscriptions.size > 0 && !this.#resolved.has(channel.uri))
        void this.refresh(channel.uri);
    for (const uri of [...this.#resolved.keys()])
      if (registry.getOf('session', uri) === undefined) this.#leave(uri);
  }

  /** Ends all watches. Resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { place } of this.#places.values()) place.close();
    await Promise.allSettled([...this.#running]);
    for (const { place } of this.#places.values()) place.close();
  }

  /** Stores the decisions of a client, in the tick of its action. */
  toggled(tx: Tx, session: Channel<'session'>, { id, enablement }: SessionCustomizationToggledAction): void {
    const { sync, decisions, clientPlugins } = this.#parts;
    const containers = session.state.customizations ?? [];
    const container = containers.find(
      (each) => each.id === id || ('children' in each && each.children?.some((child) => child.id === id)),
    );
    if (container === undefined || container.type === 'mcpServer') return;
    decisions.replace(tx, session, id, { enablement, keepsGlobal: clientPlugins.has(session, container.id) });
    tx.effect(() => {
      void this.refresh(session.uri);
      for (const uri of this.#resolved.keys())
        if (uri !== session.uri && sync.registry.getOf('session', uri) !== undefined) void this.refresh(uri);
    });
  }

  /** The commands of a session that people can type. Empty while it is not looked at. */
  inEffect(uri: string): readonly ParsedChild[] {
    return (this.#resolved.get(uri) ?? []).flatMap(({ inEffect }) => inEffect);
  }

  /** The MCP servers of the plugins of a session that are in effect, as last read. Empty while it is not looked at. */
  servers(uri: string): readonly PluginServer[] {
    return (this.#resolved.get(uri) ?? []).flatMap((resolved) =>
      pluginServers(resolved, this.#parts.userFolder),
    );
  }

  /** Implements `TurnParts.contribute`. */
  readonly contribute: Contribute = async ({ session: uri, message }) => {
    await this.refresh(uri);
    const session = this.#parts.sync.registry.getOf('session', uri);
    const children = this.inEffect(uri);
    if (session === undefined || children.length === 0) return { instructions: '', context: [], message };
    const { provider } = session.state;
    const own = commandsOf(session.state) ?? this.#parts.remembered.commands(provider) ?? [];
    return contributionTo(message, children, {
      taken: new Set(own.map(({ name }) => name)),
      models: this.#modelsOf(provider),
    });
  };

  #modelsOf(provider: string): AgentInfo['models'] {
    return this.#parts.sync.root.state.agents.find((each) => each.provider === provider)?.models ?? [];
  }

  async #refresh(uri: string): Promise<void> {
    const { sync, decisions, clientPlugins } = this.#parts;
    const session = sync.registry.getOf('session', uri);
    if (session === undefined) return this.#leave(uri);
    const places = this.#placesOf(session);
    const read = (await Promise.all(places.map(({ place }) => place.read()))).flat();
    const published = await clientPlugins.read(session);
    if (this.#isStopped || !session.isAlive) return;
    const of = (id: string) => decisions.of(session, id);
    const resolved = [
      ...read.map((container) => resolve(container, of)),
      ...published.map(({ container, plugin }) => resolve(container, of, plugin)),
    ];
    const serversBefore = this.servers(uri);
    this.#resolved.set(uri, resolved);
    const wanted = resolved.map(({ customization }) => customization);
    sync.transact('host', (tx) => {
      if (session.isAlive) publishList(tx, session, wanted);
    });
    if (!sameJson(serversBefore, this.servers(uri))) this.onServers(uri);
  }

  #placesOf(session: Channel<'session'>): SharedPlace[] {
    const { userFolder } = this.#parts;
    const roots = new Set((session.state.workingDirectories ?? []).flatMap(pathOf));
    if (userFolder !== undefined) roots.delete(userFolder);
    const wanted = [...(userFolder === undefined ? [] : [userFolder]), ...roots];
    for (const [root, shared] of this.#places)
      if (shared.users.has(session.uri) && !wanted.includes(root)) this.#release(root, session.uri);
    return wanted.map((root) => {
      const shared = this.#places.get(root) ?? this.#open(root, root === userFolder);
      shared.users.add(session.uri);
      return shared;
    });
  }

  #open(root: string, isUsers: boolean): SharedPlace {
    const users = new Set<string>();
    const options = { root, layout: isUsers ? USER_LAYOUT : PROJECT_LAYOUT, isConfined: !isUsers };
    const place = new Place(this.#parts, options, () => {
      for (const uri of users) void this.refresh(uri);
    });
    const shared = { place, users };
    this.#places.set(root, shared);
    return shared;
  }

  #leave(uri: string): void {
    this.#resolved.delete(uri);
    for (const root of [...this.#places.keys()]) this.#release(root, uri);
  }

  #release(root: string, uri: string): void {
    const shared = this.#places.get(root);
    if (shared === undefined || !shared.users.delete(uri) || shared.users.size > 0) return;
    shared.place.close();
    this.#places.delete(root);
  }
}

function pathOf(uri: string): string[] {
  return uri.startsWith('file:') ? [pathOfFileUri(uri)] : [];
}
