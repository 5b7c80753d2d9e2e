import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withHost } from '../host-link/connect.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { findServer, type McpOptions, settledServer, showServer } from './mcp.ts';

/** Time in which a person has to sign in, in milliseconds. The host has the same limit. */
const SIGN_IN_LIMIT_MS = 10 * 60_000;
const PATH = '/callback';

/** The parameters with which the browser comes back. */
interface Redirect {
  readonly state: string;
  readonly code: string;
  readonly iss?: string;
}

/** `mcp login`: prints the address of the sign-in, and waits until the browser comes back to this machine. */
export function signInToMcpServer(
  context: Context,
  screen: Screen,
  { given, name }: { given: string; name: string },
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { mcpServers } = client.sessions;
    const { resource } = await findSession(client, given);
    const { id } = findServer(await mcpServers.list(resource), given, name);
    const waiting = await listen();
    const interruption = Promise.withResolvers<never>();
    const giveBack = context.onSignal(['SIGINT'], () =>
      interruption.reject(new CliError(EXIT.interrupted, 'interrupted')),
    );
    try {
      const { url, state } = await mcpServers.startSignIn(resource, id, waiting.uri);
      screen.note('open this address in a browser on this machine, and sign in:');
      screen.line(oneLine(url, 8_000));
      const redirect = await Promise.race([waiting.redirect(state), interruption.promise]);
      await mcpServers.finishSignIn(resource, redirect);
    } finally {
      giveBack();
      waiting.close();
    }
    const { kind } = await settledServer(client, resource, id);
    showServer(screen, options, findServer(await mcpServers.list(resource), given, name));
    return kind === 'ready' ? EXIT.done : EXIT.error;
  });
}

/** Waits on loopback for the browser. */
async function listen(): Promise<{
  readonly uri: string;
  redirect(state: string): Promise<Redirect>;
  close(): void;
}> {
  const server: Server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address.
  // oxlint-disable-next-line typescript/consistent-type-assertions -- it is no pipe
  const { port } = server.address() as AddressInfo;
  const uri = `http://127.0.0.1:${port}${PATH}`;
  const timer: { limit?: NodeJS.Timeout } = {};
  return {
    uri,
    redirect: (state) =>
      new Promise<Redirect>((resolve, reject) => {
        timer.limit = setTimeout(
          () => reject(new CliError(EXIT.error, 'nobody signed in within ten minutes')),
          SIGN_IN_LIMIT_MS,
        );
        server.on('request', (request, response) => {
          const url = new URL(request.url ?? '/', uri);
          const answer = readRedirect(url, state);
          const isOurs = url.pathname === PATH && answer !== undefined;
          response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
          response.end(isOurs ? 'You can close this page, and go back to the terminal.' : 'Nothing is here.');
          if (!isOurs) return;
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      }),
    close: () => {
      clearTimeout(timer.limit);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** `undefined`: the request is not the redirect of this sign-in. */
function readRedirect({ searchParams }: URL, state: string): Redirect | Error | undefined {
  if (searchParams.get('state') !== state) return undefined;
  const [code, iss] = [searchParams.get('code'), searchParams.get('iss')];
  if (code !== null) return { state, code, ...(iss === null ? {} : { iss }) };
  const why = searchParams.get('error_description') ?? searchParams.get('error') ?? 'it gave no code';
  return new CliError(EXIT.error, `the sign-in failed: ${oneLine(why, 500)}`);
}
