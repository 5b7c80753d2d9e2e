import { openMcpServers } from '@agenthost/client';
import { withHost } from '../host-link/connect.ts';
import { LoopbackRedirect } from '../host-link/loopback-redirect.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { findServer, type McpOptions, settledServer, showServer } from './mcp.ts';

/** Time in which a person has to sign in, in milliseconds. The host has the same limit. */
const SIGN_IN_LIMIT_MS = 10 * 60_000;

/** `mcp login`: prints the address of the sign-in, and waits until the browser comes back to this machine. */
export function signInToMcpServer(
  context: Context,
  screen: Screen,
  { given, name }: { given: string; name: string },
  options: McpOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const mcpServers = await openMcpServers(client);
    const { resource } = await findSession(client, given);
    const { id } = findServer(await mcpServers.list(resource), given, name);
    const waiting = await LoopbackRedirect.open();
    const interruption = Promise.withResolvers<never>();
    const giveBack = context.onSignal(['SIGINT'], () =>
      interruption.reject(new CliError(EXIT.interrupted, 'interrupted')),
    );
    try {
      const { url, state } = await mcpServers.startSignIn(resource, id, waiting.uri);
      screen.note('open this address in a browser on this machine, and sign in:');
      screen.line(oneLine(url, 8_000));
      const returned = await Promise.race([waiting.returned(state, SIGN_IN_LIMIT_MS), interruption.promise]);
      const { code, error = 'it gave no code', ...rest } = returned;
      if (code === undefined) throw new CliError(EXIT.error, `the sign-in failed: ${oneLine(error, 500)}`);
      await mcpServers.finishSignIn(resource, { state, code, ...rest });
    } finally {
      giveBack();
      await waiting.close();
    }
    const { kind } = await settledServer(client, resource, id);
    showServer(screen, options, findServer(await mcpServers.list(resource), given, name));
    return kind === 'ready' ? EXIT.done : EXIT.error;
  });
}
