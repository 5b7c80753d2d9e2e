import {
  type AhpClient,
  CannotConnect,
  ConnectionLost,
  HandshakeFailed,
  Unauthorized,
  UntrustedHost,
} from '@agenthost/client';
import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import type { Screen } from '../render/screen.ts';
import { namesSetting, refusalText, whoAnswersAt } from './connect-error.ts';
import { findHost, type HostOptions, type HostTarget, withoutToken } from './find-host.ts';
import { fingerprintsOf } from './host-trust.ts';
import { openClient } from './open-client.ts';
import { type Recording, recordingOf } from './recording.ts';
import { passSignIns } from './stored-sign-ins.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** A connected client, and the host that it found. */
export interface Connected {
  readonly client: AhpClient;
  readonly target: HostTarget;
}

/** Finds the host and connects. Rejects with a `CliError` (`cannotConnect`, `usage`). */
async function connectToHost(
  context: Context,
  screen: Screen,
  options: HostOptions,
  recording: Recording | undefined,
): Promise<Connected> {
  const found = await findHost(context, screen, options);
  const shown = withoutToken(found.url);
  screen.status(`connecting to ${shown}`);
  let target: HostTarget = found;
  try {
    const fingerprints = await fingerprintsOf(context, screen, found, options.fingerprint);
    const { fingerprints: _known, ...plain } = found;
    target = fingerprints === undefined ? plain : { ...plain, fingerprints };
    const locale = localeOf(context.env);
    const client = await openClient(target, {
      clientInfo: { name: 'agenthost-cli', version: context.version },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      // Short, because a user is waiting.
      backoff: { maxMs: 2_000 },
      ...defined({ locale, wrapTransport: recording?.wrapTransport }),
    });
    await passSignIns(context, target.url, client);
    return { client, target };
  } catch (cause) {
    throw await cannotConnect(cause, shown, target, context.env['AGENTHOST_TOKEN'] || undefined);
  } finally {
    screen.status(undefined);
  }
}

/** Connects, lets `use` work, records the frames if asked to, and closes the connection whatever comes of it. */
export async function withHost<T>(
  context: Context,
  screen: Screen,
  options: HostOptions,
  use: (connected: Connected) => Promise<T>,
): Promise<T> {
  const recording = await recordingOf(context, screen, options);
  try {
    const connected = await connectToHost(context, screen, options, recording);
    try {
      return await use(connected);
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      throw new CliError(EXIT.cannotConnect, `lost the connection to the host: ${cause.message}`, { cause });
    } finally {
      connected.client.close();
    }
  } finally {
    recording?.close();
  }
}

async function cannotConnect(
  cause: unknown,
  url: string,
  target: HostTarget,
  envToken: string | undefined,
): Promise<unknown> {
  const isRefused = cause instanceof Unauthorized;
  const refusal = isRefused || cause instanceof CannotConnect ? cause.refusal : undefined;
  const asked = { url, token: target.token, envToken };
  if (cause instanceof UntrustedHost) {
    const message = `${cause.message}: its certificate has changed since, or another machine intercepts the connection`;
    return new CliError(EXIT.cannotConnect, message, { cause });
  }
  // A host that is reached under a foreign name does not answer the probe.
  if (refusal !== undefined && namesSetting(refusal))
    return new CliError(EXIT.cannotConnect, refusalText(refusal, asked), { cause });
  const answerer =
    (isRefused || cause instanceof CannotConnect) && target.fingerprints === undefined
      ? await whoAnswersAt(url)
      : undefined;
  if (answerer === 'tls') {
    const message = `the host at ${url} speaks TLS: use https:// or wss:// (with an s)`;
    return new CliError(EXIT.cannotConnect, message, { cause });
  }
  if (answerer === 'stranger') {
    const message = `a server answers at ${url}, but it is not agenthost: check the address and the port`;
    return new CliError(EXIT.cannotConnect, message, { cause });
  }
  if (cause instanceof Unauthorized) {
    const { origin, host, protocol, pathname } = new URL(url);
    if (pathname !== '/' && !pathname.endsWith('/ahp')) {
      const base = origin === 'null' ? `${protocol}//${host}` : origin;
      const message = `the host at ${base} has nothing at the path ${pathname}: remove the path`;
      return new CliError(EXIT.cannotConnect, message, { cause });
    }
    // After the connection is made, the only refusal is for the token.
    const text = refusalText(refusal ?? { status: 401, reason: cause.message }, asked);
    return new CliError(EXIT.cannotConnect, text, { cause });
  }
  if (cause instanceof CannotConnect) {
    if (refusal !== undefined)
      return new CliError(EXIT.cannotConnect, refusalText(refusal, asked), { cause });
    return new CliError(
      EXIT.cannotConnect,
      `no host answers at ${url}: check the address, or start one with \`${commandLine('serve')}\``,
      { cause },
    );
  }
  if (cause instanceof HandshakeFailed) {
    return new CliError(EXIT.cannotConnect, `the host at ${url} refused the handshake: ${cause.message}`, {
      cause,
    });
  }
  return cause;
}

/** `de_CH.UTF-8` as BCP 47; nothing for the C locale. */
function localeOf(env: Context['env']): string | undefined {
  const text = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  const [, language, region] = /^([a-z]{2,3})(?:_([A-Z]{2}))?(?:[.@]|$)/.exec(text) ?? [];
  if (language === undefined) return undefined;
  return region === undefined ? language : `${language}-${region}`;
}
