import { type AhpClient, openMcpServers } from '@agenthost/client';
import type { McpDecision, McpServerInfo, McpServerState } from '@agenthost/protocol';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

const REFUSED = 'the host refused the request';

/** Options of `mcp` and what is below it, as parsed. */
export interface McpOptions extends HostOptions {
  readonly json?: boolean;
}

/** `mcp list`: the servers of a session, one line each. */
export function listMcpServers(
  context: Context,
  screen: Screen,
  given: string,
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const items = await (await openMcpServers(client)).list(resource);
    if (items.length === 0 && options.json !== true) screen.note('the session has no MCP servers');
    if (items.length > 0 && options.json !== true)
      screen.columnNames('NAME          STATE         FROM               TOOLS     COMMAND OR ADDRESS');
    for (const item of items) showServer(screen, options, item);
    return EXIT.done;
  });
}

/** `mcp tools`: the tools of one server of a session, or of all. */
export function listMcpTools(
  context: Context,
  screen: Screen,
  [given, name]: readonly [session: string, server: string | undefined],
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const servers = await openMcpServers(client);
    const { resource } = await findSession(client, given);
    const all = await servers.list(resource);
    const chosen = name === undefined ? all : [findServer(all, given, name)];
    for (const { name: server, tools } of chosen) {
      for (const tool of tools) {
        const { name: toolName, description = '', readOnly } = tool;
        if (options.json === true) screen.json({ server, ...tool });
        else
          screen.line(
            `${oneLine(toolName, 64).padEnd(32)}  ${readOnly ? 'reads' : 'asks '}  ${oneLine(description, 160)}`.trimEnd(),
          );
      }
    }
    if (chosen.every(({ tools }) => tools.length === 0) && options.json !== true)
      screen.note('no server is ready and has tools');
    return EXIT.done;
  });
}

/** `mcp start`, `mcp stop` and `mcp restart`: waits until the server is not starting any more. */
export function controlMcpServer(
  context: Context,
  screen: Screen,
  { given, name, does }: { given: string; name: string; does: 'start' | 'stop' | 'restart' },
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const servers = await openMcpServers(client);
    const { resource } = await findSession(client, given);
    const { id } = findServer(await servers.list(resource), given, name);
    if (does !== 'start') checkAccepted(await servers.stop(resource, id), REFUSED);
    if (does !== 'stop') checkAccepted(await servers.start(resource, id), REFUSED);
    const { kind } = await settledServer(client, resource, id);
    showServer(screen, options, findServer(await servers.list(resource), given, id));
    return kind === 'ready' || does === 'stop' ? EXIT.done : EXIT.error;
  });
}

/** `mcp allow`, `mcp refuse` and `mcp forget`. */
export function decideMcpServer(
  context: Context,
  screen: Screen,
  { given, name, decision }: { given: string; name: string; decision: McpDecision | undefined },
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const servers = await openMcpServers(client);
    const { resource } = await findSession(client, given);
    const all = await servers.list(resource);
    const others = all.filter(({ source }) => source !== 'host');
    if (isHostsAlone(all, name))
      throw new CliError(
        EXIT.error,
        `${oneLine(name)} is a server of the config file of the host: it runs without being allowed`,
      );
    const server = findServer(others, given, name);
    await servers.decide(resource, server, decision);
    showServer(screen, options, findServer(await servers.list(resource), given, server.id));
    return EXIT.done;
  });
}

/** Resolves with the state of a server when it is not starting. */
export async function settledServer(client: AhpClient, session: string, id: string): Promise<McpServerState> {
  const opened = await client.sessions.open(session, { turns: 0 });
  const { mirror } = opened;
  const present = (): McpServerState | undefined => {
    const found = (mirror.state.customizations ?? [])
      .flatMap((each) => ('children' in each ? [each, ...(each.children ?? [])] : [each]))
      .find((each) => each.id === id);
    return found?.type === 'mcpServer' && found.state.kind !== 'starting' ? found.state : undefined;
  };
  try {
    return (
      present() ??
      (await new Promise<McpServerState>((resolve) => {
        const stop = mirror.onChange(() => {
          const state = present();
          if (state === undefined) return;
          stop();
          resolve(state);
        });
      }))
    );
  } finally {
    opened.dispose();
  }
}

/** Whether the servers with a name or id are all servers of the host. */
function isHostsAlone(all: readonly McpServerInfo[], given: string): boolean {
  const found = all.filter(({ name, id }) => id === given || name === given);
  return found.length > 0 && found.every(({ source }) => source === 'host');
}

/** The server with a name or id. Throws `CliError` for an unknown one, and for a name that several servers have. */
export function findServer(all: readonly McpServerInfo[], session: string, given: string): McpServerInfo {
  const byId = all.find(({ id }) => id === given);
  const [found, ...others] = byId === undefined ? all.filter(({ name }) => name === given) : [byId];
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const ids = [found, ...others].map(({ id, source }) => `${oneLine(id)} (${source})`).join(', ');
    throw new CliError(EXIT.error, `several MCP servers are called ${oneLine(given)}; use an id: ${ids}`);
  }
  throw new CliError(
    EXIT.error,
    `the session has no such MCP server ${oneLine(given)}; \`${commandLine(`mcp list ${oneLine(session)}`)}\` lists them`,
  );
}

/** Prints one server: `docs      ready         host     12 tools  https://docs.example.org/mcp` */
export function showServer(screen: Screen, { json = false }: McpOptions, info: McpServerInfo): void {
  if (json) return screen.json(info);
  const { name, state, source, tools, runs, decision } = info;
  const from =
    source === 'host' ? 'host' : `${source}${decision === undefined ? ' (ask)' : ` (${decision})`}`;
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  screen.line(
    `${oneLine(name, 64).padEnd(12)}  ${state.kind.padEnd(12)}  ${from.padEnd(17)}  ${count.padEnd(8)}  ${oneLine(runs, 200)}`,
  );
  if (state.kind === 'error') screen.line(`  ${oneLine(state.error.message, 500)}`);
  if (state.kind === 'authRequired')
    screen.line(
      `  needs a token for ${oneLine(state.resource.resource, 500)}; \`${commandLine(`mcp login <session> ${oneLine(name, 64)}`)}\` signs in`,
    );
}

/** `mcp log`: the last lines of a server. */
export function showMcpLog(
  context: Context,
  screen: Screen,
  { given, name }: { given: string; name: string },
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const { log } = findServer(await (await openMcpServers(client)).list(resource), given, name);
    for (const line of log) {
      if (options.json === true) screen.json(line);
      else screen.line(`${line.at}  ${oneLine(line.level, 20).padEnd(8)}  ${oneLine(line.text, 1_000)}`);
    }
    if (log.length === 0 && options.json !== true) screen.note('the server has written nothing');
    return EXIT.done;
  });
}
