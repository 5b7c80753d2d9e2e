import { join } from 'node:path';
import type { AgentInfo, Message, SessionCustomizationToggledAction } from '@agenthost/protocol';
import { errorText, sameJson } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { RememberedAgents } from '../../agents/remembered.ts';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { commandsOf } from '../../turns/agent/agent-commands.ts';
import type { Contribute } from '../../turns/contribution.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import type { ParsedChild } from './child.ts';
import type { ClientPlugins } from './client-plugins.ts';
import { contributionTo, expanded } from './contribution.ts';
import type { PluginCopies } from './copies/plugin-copies.ts';
import type { Decisions } from './decisions.ts';
import type { SessionHooks } from './hooks/session-hooks.ts';
import { OWN_FOLDER, PROJECT_LAYOUT, PROJECT_OF_USER_LAYOUT, USER_LAYOUT } from './layout.ts';
import { Place, type PlaceParts } from './place.ts';
import { pluginServers } from './plugin-servers.ts';
import { type ResolvedContainer, resolve } from './resolve.ts';
import { publishList } from './session-list.ts';
import { isElsewhere } from './skill-tool.ts';

/** What customizations need of the host. */
export interface CustomizationParts extends PlaceParts {
  readonly sync: Sync;
  readonly decisions: Decisions;
  readonly clientPlugins: ClientPlugins;
  /** Absent: the host keeps no copies of plugins. */
  readonly copies: PluginCopies | undefined;
  readonly agents: AgentRegistry;
  readonly remembered: RememberedAgents;
  readonly hooks: SessionHooks;
  /** Absolute path of the folder of the user's own customizations. Absent: there is none. */
  readonly userFolder: string | undefined;
  /** Tells the agents of chats that their tools have changed. */
  toolsChanged(chats: readonly string[]): void;
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
  /** What each chat was told has no effect. */
  readonly #told = new Map<string, ReadonlySet<string>>();
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

  /** Starts with sessions that have subscribers, and ends with those that are no longer in memory. */
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
    const { sync, decisions, clientPlugins, copies } = this.#parts;
    const containers = session.state.customizations ?? [];
    const container = containers.find(
      (each) => each.id === id || ('children' in each && each.children?.some((child) => child.id === id)),
    );
    if (container === undefined || container.type === 'mcpServer') return;
    const keepsGlobal =
      clientPlugins.has(session, container.id) || copies?.has(session, container.id) === true;
    decisions.replace(tx, session, id, { enablement, keepsGlobal });
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
  readonly contribute: Contribute = async ({ message, ...turn }) => {
    const uri = turn.session;
    await this.refresh(uri);
    const session = this.#parts.sync.registry.getOf('session', uri);
    if (session === undefined || this.inEffect(uri).length === 0)
      return { instructions: '', context: [], message };
    const hooks = this.inEffect(uri).filter(({ child }) => child.type === 'hook');
    const begun = await this.#parts.hooks.begin(turn, hooks, () => this.refresh(uri));
    const told = (await begun?.turn.begin(message.text, begun.source)) ?? [];
    const { without, ...contribution } = contributionTo(message, this.inEffect(uri), {
      taken: this.#takenNames(session),
      models: this.#modelsOf(session.state.provider),
      folders: foldersOf(session),
      readsItself: this.#readsItself(session),
    });
    this.#tell(turn, without);
    const { tools } = contribution;
    return {
      ...contribution,
      ...(tools === undefined ? {} : { toolsNotLimited: () => this.#tell(turn, [NOT_LIMITED]) }),
      context: [...contribution.context, ...told],
      ...(begun === undefined ? {} : { output: begun.turn.output, finish: () => begun.turn.end() }),
    };
  };

  /** The skills that agents of a session read through the host. */
  farSkills(uri: string): readonly ParsedChild[] {
    const session = this.#parts.sync.registry.getOf('session', uri);
    if (session === undefined) return [];
    const folders = foldersOf(session);
    return this.inEffect(uri).filter(
      (each) =>
        each.child.type === 'skill' &&
        each.child.disableModelInvocation !== true &&
        isElsewhere(each, folders),
    );
  }

  /** Tells people once in each chat what has no effect. */
  #tell(
    { chat, output }: Pick<Parameters<Contribute>[0], 'chat' | 'output'>,
    without: readonly string[],
  ): void {
    const told = this.#told.get(chat) ?? new Set();
    for (const sentence of without) if (!told.has(sentence)) output.notify(sentence);
    if (without.length > 0) this.#told.set(chat, new Set([...told, ...without]));
  }

  /** Whether the agent of a session reads rules and skills of a folder without the host. */
  #readsItself({ state }: Channel<'session'>): (child: ParsedChild) => boolean {
    const folders = this.#parts.agents.get(state.provider).readsFolders ?? [];
    const roots = (state.workingDirectories ?? []).flatMap((uri) =>
      folders.map((folder) => `${uri.replace(/\/$/, '')}/${folder}/`),
    );
    return ({ child, clientId }) =>
      clientId === undefined && roots.some((root) => child.uri.startsWith(root));
  }

  /** Implements `TurnParts.expand`. */
  expand(uri: string, message: Message): Message {
    const session = this.#parts.sync.registry.getOf('session', uri);
    return session === undefined ? message : expanded(message, this.inEffect(uri), this.#takenNames(session));
  }

  /** Names of commands of the agent itself, which are not replaced. */
  #takenNames({ state }: Channel<'session'>): ReadonlySet<string> {
    const own = commandsOf(state) ?? this.#parts.remembered.commands(state.provider) ?? [];
    return new Set(own.map(({ name }) => name));
  }

  #modelsOf(provider: string): AgentInfo['models'] {
    return this.#parts.sync.root.state.agents.find((each) => each.provider === provider)?.models ?? [];
  }

  async #refresh(uri: string): Promise<void> {
    const { sync, decisions, clientPlugins, copies, hooks } = this.#parts;
    const session = sync.registry.getOf('session', uri);
    if (session === undefined) return this.#leave(uri);
    const places = this.#placesOf(session);
    const read = (await Promise.all(places.map(({ place }) => place.read()))).flat();
    const copied = (await copies?.readFor(session)) ?? [];
    const ids = new Set(copied.map(({ plugin }) => plugin.id));
    const others = (await clientPlugins.read(session)).filter(({ plugin }) => !ids.has(plugin.id));
    const published = [...copied, ...others];
    if (this.#isStopped || !session.isAlive) return;
    const by = {
      decisionsOf: (id: string) => decisions.of(session, id),
      hookMeta: (hook: ParsedChild) => hooks.metaOf(hook),
    };
    const resolved = [
      ...read.map((container) => resolve(container, by)),
      ...published.map(({ container, plugin }) => resolve(container, { ...by, published: plugin })),
    ];
    const skills = namesOf(this.farSkills(uri));
    const serversBefore = this.servers(uri);
    this.#resolved.set(uri, resolved);
    if (namesOf(this.farSkills(uri)) !== skills)
      this.#parts.toolsChanged(session.state.chats.map(({ resource }) => resource));
    const wanted = resolved.map(({ customization }) => customization);
    sync.transact('host', (tx) => {
      if (session.isAlive) publishList(tx, session, wanted);
    });
    if (!sameJson(serversBefore, this.servers(uri))) this.onServers(uri);
  }

  #placesOf(session: Channel<'session'>): SharedPlace[] {
    const { userFolder } = this.#parts;
    const roots = new Set(foldersOf(session));
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
    const { userFolder } = this.#parts;
    const project = join(root, OWN_FOLDER) === userFolder ? PROJECT_OF_USER_LAYOUT : PROJECT_LAYOUT;
    const options = { root, layout: isUsers ? USER_LAYOUT : project, isConfined: !isUsers };
    const place = new Place(this.#parts, options, () => {
      for (const uri of users) void this.refresh(uri);
    });
    const shared = { place, users };
    this.#places.set(root, shared);
    return shared;
  }

  #leave(uri: string): void {
    this.#resolved.delete(uri);
    this.#parts.hooks.forget(uri);
    for (const chat of this.#told.keys())
      if (this.#parts.sync.registry.getOf('chat', chat) === undefined) this.#told.delete(chat);
    for (const root of [...this.#places.keys()]) this.#release(root, uri);
  }

  #release(root: string, uri: string): void {
    const shared = this.#places.get(root);
    if (shared === undefined || !shared.users.delete(uri) || shared.users.size > 0) return;
    shared.place.close();
    this.#places.delete(root);
  }
}

const NOT_LIMITED =
  'This agent cannot be limited to the tools of the custom agent. It was only told to use no others.';

function pathOf(uri: string): string[] {
  return uri.startsWith('file:') ? [pathOfFileUri(uri)] : [];
}

const foldersOf = ({ state }: Channel<'session'>): string[] =>
  (state.workingDirectories ?? []).flatMap(pathOf);

const namesOf = (skills: readonly ParsedChild[]): string => skills.map(({ child }) => child.name).join('\n');
