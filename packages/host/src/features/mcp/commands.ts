import { conflict, invalidParam, type McpServerInfo, sessionNotFound } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Commands } from '../../handler-port/commands.ts';
import type { Sync } from '../../sync/sync.ts';
import { shownEntry } from './consent-question.ts';
import type { McpConsents } from './consents.ts';
import type { McpSignIns } from './oauth.ts';
import type { ListedServer, SessionServers } from './session-servers.ts';

/** Longest description of a tool in a list. */
const MAX_DESCRIPTION = 2_000;
/** Longest entry in an error message. */
const MAX_SHOWN = 500;

/** Services of the commands. */
interface Parts {
  readonly sync: Sync;
  readonly consents: McpConsents;
  readonly signIns: McpSignIns;
  /** The servers of a session, read again. */
  serversOf(session: string): Promise<SessionServers>;
}

/** Lists the MCP servers of a session, and decides which of its project may run. */
export function mcpCommands({ sync, consents, signIns, serversOf }: Parts): Commands {
  const find = async (session: string): Promise<SessionServers> => {
    if ((await sync.registry.openOf('session', session)) === undefined) throw sessionNotFound(session);
    return serversOf(session);
  };
  return {
    'x-listMcpServers': async ({ channel }) => {
      const servers = await find(channel);
      return { items: servers.all.map((each) => infoOf(servers, consents, each)) };
    },
    'x-decideMcpServer': async ({ channel, id, runs, decision }) => {
      const servers = await find(channel);
      const found = servers.all.find((each) => each.id === id && each.place !== undefined);
      if (found === undefined)
        throw invalidParam(
          'id',
          'expected the id of a server that may run only after a decision: of the project, or of a plugin that is not your own',
        );
      const present = shownRuns(found);
      if (present !== runs)
        throw conflict(
          `The entry of ${found.entry.name} has changed. It now runs: ${present.slice(0, MAX_SHOWN)}`,
        );
      await consents.decide([found], decision);
      servers.followDecisions();
      return {};
    },
    'x-startMcpSignIn': async ({ channel, id, redirectUri }) => {
      const server = (await find(channel)).find(id);
      if (server === undefined) throw invalidParam('id', 'expected the id of an MCP server of the session');
      return signIns.start(channel, server, redirectUri);
    },
    'x-finishMcpSignIn': async ({ channel, state, code, iss }) => {
      await signIns.finish(channel, { state, code, ...defined({ iss }) });
      return {};
    },
  };
}

/** Servers of the host need no decision. Those of the user's own plugins are always allowed. */
const decisionOf = (
  source: ListedServer['source'],
  decision: McpServerInfo['decision'],
): McpServerInfo['decision'] => (source === 'host' ? undefined : decision);

function infoOf(servers: SessionServers, consents: McpConsents, listed: ListedServer): McpServerInfo {
  const { id, source, plugin, place: decidedAt, server, log } = listed;
  const { entry } = server;
  return {
    id,
    name: entry.name,
    source,
    runs: shownRuns(listed),
    ...defined({
      plugin,
      decision: decisionOf(source, decidedAt === undefined ? 'allowed' : consents.of(decidedAt, entry)),
    }),
    state: server.state,
    tools: servers.tools
      .filter((each) => each.id === id)
      .map(({ name, tool }) => ({
        name,
        tool: tool.name,
        ...defined({ description: tool.description?.slice(0, MAX_DESCRIPTION) }),
        readOnly: tool.annotations?.readOnlyHint === true,
      })),
    log: [...log.lines],
  };
}

/** What a server runs or connects to. Of a server of the host without arguments, variables and headers, which may have secrets. */
function shownRuns({ source, entry }: Pick<ListedServer, 'source' | 'entry'>): string {
  if (source !== 'host') return shownEntry(entry).slice(entry.name.length + 2);
  return entry.kind === 'stdio' ? entry.command : entry.url;
}
