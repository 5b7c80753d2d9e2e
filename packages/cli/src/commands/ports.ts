import type { AhpClient } from '@agenthost/client';
import type { ListedPort } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `ports` and what is below it, as parsed. */
export interface PortsOptions extends HostOptions {
  readonly json?: boolean;
}

/** `ports`: the ports that processes of one session, or of all, listen on. */
export function listPorts(
  context: Context,
  screen: Screen,
  given: string | undefined,
  options: PortsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const items = await portsOf(client, given, screen);
    screen.list(items, {
      ...options,
      none: 'no process of a session listens on a port',
      columns: 'SESSION    PORT  ADDRESS    PROGRAM',
      line: lineOf,
    });
    return EXIT.done;
  });
}

/** `ports open`: prints an address that opens a port in one browser. */
export function openPort(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: PortsOptions,
): Promise<ExitCode> {
  const [port = '', session, ...more] = given.toReversed();
  if (!/^\d{1,5}$/.test(port) || more.length > 0)
    throw usageError(
      `expected a port, or a session and a port, got ${oneLine(given.join(' ')) || 'nothing'}`,
    );
  return withHost(context, screen, options, async ({ client }) => {
    const items = (await portsOf(client, session, screen)).filter((each) => each.port === Number(port));
    const [found] = items;
    if (found === undefined)
      throw new CliError(
        EXIT.error,
        `no process of ${session === undefined ? 'a session' : 'the session'} listens on port ${port}; \`${commandLine('ports')}\` lists the ports`,
      );
    if (new Set(items.map((each) => each.session)).size > 1)
      throw usageError(
        `several sessions have port ${port}: ${items.map((each) => shortId(each.session)).join(', ')}; name one before the port`,
      );
    const { url, expiresAt } = await client.sessions.openPreview(found.session, found.port);
    if (options.json === true) screen.json({ session: found.session, port: found.port, url, expiresAt });
    else screen.line(url);
    if (options.json !== true) screen.note('open it in a browser within a minute; it works once');
    return EXIT.done;
  });
}

async function portsOf(client: AhpClient, given: string | undefined, screen: Screen): Promise<ListedPort[]> {
  const session = given === undefined ? undefined : (await findSession(client, given)).resource;
  const { items, unavailable } = await client.sessions.ports(session);
  if (unavailable !== undefined) screen.note(oneLine(unavailable));
  return items;
}

/** `4f2a91c0   5173  127.0.0.1  node vite`. */
function lineOf({ session, port, address, process, title, pid }: ListedPort): string {
  const program = [process, title].filter((part) => part !== undefined).join(' ');
  const id = pid === undefined ? '' : `  pid ${pid}`;
  return `${shortId(session)}  ${String(port).padStart(5)}  ${oneLine(address, 45).padEnd(9)}  ${oneLine(program, 160)}${id}`;
}
