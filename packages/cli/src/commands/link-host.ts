import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { localHost, localHosts } from '../daemon/choose-host.ts';
import { DEFAULT_PORT } from '../host-link/default-port.ts';
import type { HostRecord } from '../host-link/discovery.ts';
import { greetingLine } from '../host-link/link-greeting.ts';
import { startHost } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { dataFolder, hostsFolder } from '../process/files.ts';
import type { Screen } from '../render/screen.ts';

/** Time limit without any transfer after the end of the input. */
const CLOSE_LIMIT_MS = 5_000;

/** Options of `hosts link` as parsed. */
export interface LinkHostOptions {
  readonly data?: string;
  readonly start?: boolean;
}

/**
 * `hosts link`: prints one line with the address and the token of the host that runs here, and then connects standard input and output to that host. Runs
 * on the other machine of an `ssh://` address, and ends with its input or with the connection to the host.
 */
export async function linkHost(
  context: Context,
  screen: Screen,
  options: LinkHostOptions,
): Promise<ExitCode> {
  const { stdin, stdout, version } = context;
  // The line has a token, which must not be shown on a terminal.
  if (stdin.isTTY === true || stdout.isTTY === true)
    throw usageError('`hosts link` is run by clients over ssh: add the host to them as ssh://user@server');
  const present = await localHosts(context, options);
  const isNew = present.length === 0 && options.start === true;
  if (present.length === 0 && !isNew) {
    stdout.write(greetingLine({ agenthost: version }));
    return EXIT.cannotConnect;
  }
  const host = isNew ? await startedHost(context, screen, options) : await localHost(context, options);
  const { openHostSocket } = await import('@agenthost/client/stream');
  const { url, token, fingerprint, keyFingerprint } = host;
  const fingerprints = [fingerprint, keyFingerprint].filter((each) => each !== undefined);
  const socket = await openHostSocket({ url, fingerprints });
  const end = (): void => void socket.destroy();
  // An error on either side is the end of the connection, which the client reports.
  socket.on('error', end);
  stdin.on('error', end);
  const closed = once(socket, 'close');
  context.outputClosed.addEventListener('abort', end, { once: true });
  // The pipe ends the socket when all input is sent, which may be long after the input ended. Then the host closes the connection.
  stdin.once('end', () => socket.setTimeout(CLOSE_LIMIT_MS, end));
  stdin.once('close', () => {
    if (!stdin.readableEnded) end();
  });
  stdout.write(greetingLine({ agenthost: host.version, url, token, isNew }));
  stdin.pipe(socket);
  socket.pipe(stdout, { end: false });
  try {
    await closed;
  } finally {
    context.outputClosed.removeEventListener('abort', end);
    stdin.destroy();
  }
  return EXIT.done;
}

async function startedHost(context: Context, screen: Screen, { data }: LinkHostOptions): Promise<HostRecord> {
  const folder = hostsFolder(context);
  const { env, home } = context;
  const [dataDir, dataArgs] =
    data === undefined
      ? [dataFolder(context), []]
      : [resolve(context.cwd, data), ['--data', resolve(context.cwd, data)]];
  const args = [...dataArgs, ...(await portArguments(env))];
  return startHost(context, screen, folder, { dataDir, args, cwd: home, env });
}

/**
 * The port of a host that is reached over ssh, as arguments of `serve`: a free one if another program, perhaps of another user, has the default port. A
 * port of the environment is not replaced.
 */
export async function portArguments(
  { AGENTHOST_PORT: port }: Context['env'],
  defaultPort = DEFAULT_PORT,
): Promise<readonly string[]> {
  return !port && (await isInUse(defaultPort)) ? ['--port', '0'] : [];
}

/** Whether a program listens on a port of `127.0.0.1`. */
function isInUse(port: number): Promise<boolean> {
  return new Promise((isUsed) => {
    const server = createServer();
    server.once('error', (error) => isUsed(hasCode(error, 'EADDRINUSE')));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => isUsed(false)));
  });
}
