import type { SessionAction } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { AgentCommand } from '../../agents/provider.ts';
import type { Ids } from '../../lib/clock.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import type { Contribute, Expand } from '../../turns/contribution.ts';
import type { HostTools } from '../../turns/tools/host-tools.ts';
import type { AskClient as AskInTime } from '../../wire/ways.ts';
import type { Feature } from '../feature.ts';
import type { AskClient } from './client-files.ts';
import { ClientPlugins } from './client-plugins.ts';
import { commandsFrom } from './contribution.ts';
import { PluginCopies } from './copies/plugin-copies.ts';
import { Decisions } from './decisions.ts';
import { HookConsents } from './hooks/hook-consents.ts';
import { SessionHooks, type SessionHooksParts } from './hooks/session-hooks.ts';
import { type CustomizationParts, SessionCustomizations } from './session-customizations.ts';
import { skillTools } from './skill-tool.ts';

type Parts = Omit<CustomizationParts, 'decisions' | 'clientPlugins' | 'copies' | 'hooks'> &
  Omit<SessionHooksParts, 'decisions' | 'consents'> & {
    readonly ids: Ids;
    readonly listing: SessionListing;
    /** Folder of the host's data. Absent: the host keeps no copies of plugins. */
    readonly dataDir: string | undefined;
    /** The connection of a client; `undefined` while it is not connected. */
    connectionOf(clientId: string): { readonly ask: AskInTime } | undefined;
  };

/** The part of customizations that other features use. */
export interface Customizations {
  readonly contribute: Contribute;
  readonly expand: Expand;
  /** The MCP servers of the plugins of a session that are in effect, as last read. */
  servers(session: string): readonly PluginServer[];
  /** Reads the customizations of a session again. Never rejects. */
  refresh(session: string): Promise<void>;
  /** Sets the function that is called with a session whose servers of plugins have changed. */
  onServers(listener: (session: string) => void): void;
  /** The slash commands of a session's customizations. */
  commands(session: string): readonly AgentCommand[];
  /** The copies of plugins for automations. `undefined`: this host keeps none. */
  readonly copies: PluginCopies | undefined;
  /** Offers skills to agents. Call it before sessions are used. */
  join(hostTools: HostTools): void;
}

/** Time in which a client has to answer each request for its files. */
const ANSWER_LIMIT_MS = 8_000;

/** Actions of a session after which its customizations are looked at again. */
const LOOKS_AGAIN: ReadonlySet<SessionAction['type']> = new Set([
  'session/ready',
  'session/workingDirectorySet',
  'session/workingDirectoryRemoved',
  'session/workingDirectoryReplaced',
]);

/** Customizations of sessions: plugins and directories of user, project and clients [CUST-1] to [CUST-22]. */
export async function customizationsFeature(
  parts: Parts,
): Promise<Feature & { readonly customizations: Customizations }> {
  const { sync, dataDir } = parts;
  const ask = (clientId: string): AskClient | undefined => {
    const connection = parts.connectionOf(clientId);
    return connection && ((method, params) => connection.ask(method, params, ANSWER_LIMIT_MS));
  };
  const clientPlugins = new ClientPlugins(ask);
  const copies = dataDir === undefined ? undefined : await PluginCopies.load({ ...parts, dataDir, ask });
  const decisions = await Decisions.load(sync);
  const hooks = new SessionHooks({ ...parts, decisions, consents: await HookConsents.load(sync) });
  const sessions = new SessionCustomizations({ ...parts, decisions, clientPlugins, copies, hooks });
  const look = (uri: string): void => {
    if (sync.registry.getOf('session', uri) !== undefined) void sessions.refresh(uri);
  };
  return {
    name: 'customizations',
    customizations: {
      contribute: sessions.contribute,
      expand: (session, message) => sessions.expand(session, message),
      copies,
      servers: (session) => sessions.servers(session),
      refresh: (session) => sessions.refresh(session),
      onServers: (listener) => {
        sessions.onServers = listener;
      },
      commands: (session) =>
        commandsFrom(sessions.inEffect(session)).map(({ source: _, ...command }) => command),
      join: (hostTools) =>
        hostTools.addSource(skillTools({ ...parts, skillsOf: (session) => sessions.farSkills(session) })),
    },
    clients: {
      subscribed: (_, uri) => look(uri),
      unsubscribed: () => undefined,
      returned: async (_, subscriptions) => subscriptions.forEach(look),
    },
    observe: () => {
      copies?.observe();
      sync.observe('session', (tx, { channel, action, before, after }) => {
        if (action.type === 'session/customizationToggled') sessions.toggled(tx, channel, action);
        const isOther = !sameJson(
          before.activeClients.map(({ customizations = [] }) => customizations),
          after.activeClients.map(({ customizations = [] }) => customizations),
        );
        if (isOther || LOOKS_AGAIN.has(action.type)) tx.effect(() => look(channel.uri));
      });
    },
    sweep: () => {
      sessions.sweep();
      clientPlugins.keepOnly([...sync.registry.all()].filter((channel) => channel.is('session')));
    },
    stop: () => sessions.stop(),
  };
}
