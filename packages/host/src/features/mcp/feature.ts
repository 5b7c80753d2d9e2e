import type { SessionAction, SessionState } from '@agenthost/protocol';
import type { ChildRegistry } from '../../agents/provider.ts';
import type { TurnOutput } from '../../agents/turn.ts';
import { numberSetting } from '../../config/host-config.ts';
import { readEntries } from '../../config/mcp-servers.ts';
import type { SideChannels } from '../../handler-port/stateless-channels.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import type { Sync } from '../../sync/sync.ts';
import { failure } from '../../turns/tools/client-tool.ts';
import type { HostTools } from '../../turns/tools/host-tools.ts';
import type { SignIns } from '../../turns/tools/sign-ins.ts';
import type { Feature } from '../feature.ts';
import { mcpCommands } from './commands.ts';
import { askAboutServers } from './consent-question.ts';
import { McpConsents } from './consents.ts';
import { McpLibrary } from './library.ts';
import { isHostsServer } from './named-servers.ts';
import { McpSignIns, tokenRenewer } from './oauth.ts';
import { RunningSessions } from './running-sessions.ts';
import { SessionServers, type SessionServersParts } from './session-servers.ts';
import { capabilitiesOf, McpSideChannels, sideChannelUri } from './side-channels.ts';
import { McpTokens } from './tokens.ts';
import { runMcpTool } from './tool-calls.ts';

const MINUTE_MS = 60_000;
/** Actions of a session that change its working directories. */
const CHANGES_FOLDERS: ReadonlySet<SessionAction['type']> = new Set([
  'session/workingDirectorySet',
  'session/workingDirectoryRemoved',
  'session/workingDirectoryReplaced',
]);

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly listing: SessionListing;
  readonly children: ChildRegistry;
  readonly dataDir: string | undefined;
  readonly version: string;
  /** Servers by name, for all sessions. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  readonly projectMcpServers: boolean;
  /** The plugins of sessions. Absent: they are not read. */
  readonly plugins: PluginServers | undefined;
  /** Whether the agent of a session answers requests of servers for a model. */
  answersTools(state: SessionState): boolean;
  /** Absolute paths of the folders that a session works in, the primary one first. */
  foldersOf(state: SessionState): readonly string[];
  /** Tells the agents of chats that their tools have changed. */
  toolsChanged(chats: readonly string[]): void;
}

/** The MCP servers that plugins name. */
interface PluginServers {
  servers(session: string): readonly PluginServer[];
  /** Reads the plugins of a session again. Never rejects. */
  refresh(session: string): Promise<void>;
  onServers(listener: (session: string) => void): void;
}

interface StartingTurn {
  readonly session: string;
  readonly chat: string;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
}

/** One session with its servers. */
interface Entry {
  readonly servers: SessionServers;
  /** Time of the last turn, by `steadyNow`. */
  usedAt: number;
  /** Names of the servers that a person does not want in this session. */
  skipped: string;
  /** Faults of the file of the project that a turn has told. */
  toldFaults: string;
  asking: Promise<void>;
}

/**
 * MCP servers of sessions [MCP-1]: those of the host's config, and those of the project's `.mcp.json` and of plugins that a person has allowed. Each session runs
 * its own. Throws an error such as `mcpServers: name.url: expected …` for an entry that cannot be used.
 */
export async function mcpFeature(parts: Parts): Promise<
  Feature & {
    /** Starts the servers of a new session, and does not wait for them. */
    prepareSession(session: string): Promise<void>;
    /** Starts the servers of a session, asks about those of its project, and waits for those that hold turns. */
    prepareTurn(turn: StartingTurn): Promise<void>;
    /** Resources and prompts of ready servers. */
    readonly library: McpLibrary;
    /** The side channels to the servers. */
    readonly side: SideChannels;
    /** Connects the servers to turns. Call it before sessions are used. */
    join(turns: { readonly hostTools: HostTools; readonly signIns: SignIns }): void;
  }
> {
  const { sync, clock } = parts;
  const { entries: hostEntries, faults } = readEntries(parts.mcpServers);
  const [fault] = faults;
  if (fault !== undefined) throw new Error(`mcpServers: ${fault.name}.${fault.problem}`);
  const consents = await McpConsents.load(sync);
  const tokens = new McpTokens({ ...parts, renew: tokenRenewer(parts.timers) });
  const running = await RunningSessions.load(sync);
  let signIns: SignIns | undefined;
  const mcpSignIns = new McpSignIns({
    ...parts,
    tokens,
    environment: process.env,
    granted: (resource, token) => signIns?.grant(resource, token),
  });
  const sessions = new Map<string, Entry>();
  let isStopped = false;
  const chatsOf = (session: string): readonly string[] =>
    sync.registry.getOf('session', session)?.state.chats.map(({ resource }) => resource) ?? [];
  const side = new McpSideChannels(parts.log, (uri) => {
    for (const [session, { servers }] of sessions)
      for (const { id, server } of servers.all)
        if (sideChannelUri(session, id) === uri)
          return { server, session, capabilities: capabilitiesOf(server) };
    return undefined;
  });
  const shared: SessionServersParts = {
    ...parts,
    hostEntries,
    readsProjects: parts.projectMcpServers,
    pluginsOf: (session) => parts.plugins?.servers(session) ?? [],
    consents,
    tokens,
    environment: process.env,
    toolsChanged: (session) => parts.toolsChanged(chatsOf(session)),
    awaitToken: (auth, granted) =>
      signIns?.add({ chat: '', toolCallId: '', auth, granted, givenUp: () => undefined }) ??
      (() => undefined),
    channelClosed: (uri) => side.close(uri),
    notify: (uri, method, params) => side.forward(uri, method, params),
    runningChanged: (tx, session, isRunning) => running.set(tx, session, isRunning),
  };
  const entryOf = (uri: string): Entry => {
    const known = sessions.get(uri);
    if (known !== undefined) return known;
    const servers = new SessionServers(shared, uri);
    if (isStopped) void servers.end();
    const entry: Entry = { servers, usedAt: 0, skipped: '', toldFaults: '', asking: Promise.resolve() };
    sessions.set(uri, entry);
    return entry;
  };
  const use = async (uri: string): Promise<Entry> => {
    const entry = entryOf(uri);
    entry.usedAt = steadyNow(clock);
    await entry.servers.refresh();
    return entry;
  };
  const end = async (uri: string): Promise<void> => {
    const entry = sessions.get(uri);
    sessions.delete(uri);
    await entry?.servers.end();
  };
  /** The next turn starts them again. */
  const stopIdle = (uri: string, { servers }: Entry): void => {
    servers
      .stopAll()
      .catch((error: unknown) => parts.log.warn({ error, uri }, 'idle MCP servers did not end'));
  };
  /** Chats that start a turn at the same time ask once. */
  const ask = (entry: Entry, output: TurnOutput): Promise<void> => {
    const asked = entry.asking.then(async () => {
      const { undecided } = entry.servers;
      const shown = JSON.stringify(undecided);
      if (undecided.length === 0 || shown === entry.skipped) return;
      const answer = await askAboutServers(output, undecided);
      if (answer === 'skip') entry.skipped = shown;
      else if (answer !== undefined)
        await consents.decide(undecided, answer === 'allow' ? 'allowed' : 'refused');
    });
    entry.asking = asked.catch(() => undefined);
    return asked;
  };
  const follow = async (uri: string, action: SessionAction): Promise<void> => {
    if (!('id' in action) || !isHostsServer(action.id)) return;
    const entry = sessions.get(uri);
    const servers = entry?.servers;
    if (entry !== undefined) entry.usedAt = steadyNow(clock);
    switch (action.type) {
      case 'session/mcpServerStartRequested':
        // Reading the servers again would show a known one as stopped for a moment.
        if (servers?.find(action.id) !== undefined) return servers.start(action.id);
        return (await use(uri)).servers.start(action.id);
      case 'session/mcpServerStopRequested':
        return servers?.stop(action.id);
      case 'session/mcpServerBackgroundRequested':
        return servers?.find(action.id)?.background();
      case 'session/customizationToggled':
        return servers?.followEnablement();
      default:
        return undefined;
    }
  };
  const lookAgain = (uri: string, then: (servers: SessionServers) => void): void => {
    const servers = sessions.get(uri)?.servers;
    servers
      ?.refresh()
      .then(() => then(servers))
      .catch((error: unknown) =>
        parts.log.warn({ error, uri }, 'the MCP servers of a session were not read'),
      );
  };
  const library = new McpLibrary(parts.timers, (session) => sessions.get(session)?.servers.all ?? []);
  return {
    name: 'mcp',
    library,
    side,
    commands: mcpCommands({
      sync,
      consents,
      signIns: mcpSignIns,
      serversOf: async (uri) => (await use(uri)).servers,
    }),
    observe: () => {
      parts.plugins?.onServers((uri) => lookAgain(uri, (servers) => servers.startAll()));
      parts.listing.onChange((tx, uri, by) => {
        if (by === -1)
          tx.effect(() => {
            end(uri).catch((error: unknown) => parts.log.warn({ error, uri }, 'MCP servers did not end'));
          });
      });
      sync.observe('session', (tx, { channel: { uri }, action }) => {
        // Running servers are told of other roots at once, others find them at the next turn.
        if (CHANGES_FOLDERS.has(action.type) && sessions.get(uri)?.servers.isRunning === true)
          tx.effect(() => lookAgain(uri, () => undefined));
        if (!('id' in action)) return;
        tx.effect(() => {
          follow(uri, action).catch((error: unknown) =>
            parts.log.warn({ error, uri, action: action.type }, 'an MCP server did not follow an action'),
          );
        });
      });
    },
    recover: () => running.recover(),
    prepareSession: async (uri) => {
      const { servers } = await use(uri);
      servers.startAll();
    },
    prepareTurn: async ({ session, chat, output, signal }) => {
      await parts.plugins?.refresh(session);
      const entry = await use(session);
      tellFaults(entry, output);
      if (isAutomatic(sync, chat)) sayUnasked(entry.servers, output);
      else await ask(entry, output);
      entry.servers.startAll();
      await entry.servers.unblocked(signal);
    },
    join: ({ hostTools, signIns: joined }) => {
      signIns = joined;
      const toolsOf = (session: string) => sessions.get(session)?.servers.tools ?? [];
      hostTools.addSource({
        list: toolsOf,
        run: async (turn, call, withdrawn) => {
          const offered = toolsOf(turn.session).find(({ name }) => name === call.name);
          if (offered === undefined)
            return failure('notOffered', `No MCP server offers a tool ${call.name} now`);
          return runMcpTool({ clock, tokens }, turn, { offered, call, withdrawn });
        },
      });
    },
    sweep: () => {
      const idleMs = numberSetting(sync.root.state.config, 'agentIdleMinutes') * MINUTE_MS;
      for (const [uri, entry] of sessions) {
        const isBusy = [...sync.registry.ofSession(uri)].some(
          (each) => each.is('chat') && each.state.activeTurn !== undefined,
        );
        if (isBusy) entry.usedAt = steadyNow(clock);
        else if (steadyNow(clock) - entry.usedAt > idleMs && entry.servers.isRunning) stopIdle(uri, entry);
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

/** Whether an automation has started the turn: nobody may be there to answer. */
const isAutomatic = (sync: Sync, chat: string): boolean =>
  sync.registry.getOf('chat', chat)?.state.activeTurn?.message.origin.kind === 'automation';

/** Most faults of a file that a turn tells. */
const MAX_FAULTS = 5;

/** The first turn after a change of the file tells what is wrong with it. */
function tellFaults(entry: Entry, output: TurnOutput): void {
  const { faults } = entry.servers;
  const shown = faults.slice(0, MAX_FAULTS).map((fault) => fault.slice(0, 500));
  const text = [...shown, ...(faults.length > shown.length ? ['…'] : [])].join('\n');
  if (text === entry.toldFaults) return;
  entry.toldFaults = text;
  if (text !== '') output.notify(text);
}

/** Reports that the turn continues without servers that no user has allowed. */
function sayUnasked({ undecided }: SessionServers, output: TurnOutput): void {
  if (undecided.length === 0) return;
  const names = undecided.map(({ entry }) => entry.name).join(', ');
  output.notify(`This turn runs without the MCP servers that no user has allowed: ${names}`);
}
