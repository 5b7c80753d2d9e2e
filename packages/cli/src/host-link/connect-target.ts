import {
  type AhpClient,
  CannotConnect,
  HandshakeFailed,
  Unauthorized,
  UntrustedHost,
} from '@agenthost/client';
import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { namesSetting, noTokenText, refusalText, whoAnswersAt } from './connect-error.ts';
import { type HostTarget, withoutToken } from './find-host.ts';
import { fingerprintsOf } from './host-trust.ts';
import { openClient } from './open-client.ts';
import type { Recording } from './recording.ts';
import { SshFailure } from './ssh-failure.ts';
import { passSignIns } from './stored-sign-ins.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** A connected client, and the host that it is connected to, with its certificate. */
export interface Connected {
  readonly client: AhpClient;
  readonly target: HostTarget;
}

/** Options of `connectTarget`. */
export interface ConnectTargetOptions {
  /** `--fingerprint`. */
  readonly fingerprint?: string | undefined;
  readonly wrapTransport?: Recording['wrapTransport'] | undefined;
  /** Gives up while the connection is made. */
  readonly signal?: AbortSignal | undefined;
}

/** Connects to a host. Rejects with a `CliError` (`cannotConnect`, `usage`), or with the signal's reason. */
export async function connectTarget(
  context: Context,
  screen: Screen,
  found: HostTarget,
  { fingerprint, wrapTransport, signal }: ConnectTargetOptions = {},
): Promise<Connected> {
  const shown = withoutToken(found.url);
  let target: HostTarget = found;
  try {
    const fingerprints = await fingerprintsOf(context, screen, found, { given: fingerprint });
    const { fingerprints: _known, ...plain } = found;
    target = fingerprints === undefined ? plain : { ...plain, fingerprints };
    const locale = localeOf(context.env);
    const client = await openClient(
      target,
      {
        clientInfo: { name: 'agenthost-cli', version: context.version },
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        // Short, because a user is waiting.
        backoff: { maxMs: 2_000 },
        ...defined({ locale, wrapTransport, signal }),
      },
      (version) => screen.note(`started a host on ${oneLine(shown)} (agenthost ${oneLine(version)})`),
    );
    await passSignIns(context, target, client, (line) => screen.note(`agenthost: ${oneLine(line, 500)}`));
    return { client, target };
  } catch (cause) {
    signal?.throwIfAborted();
    throw await cannotConnect(cause, shown, target, context.env['AGENTHOST_TOKEN'] || undefined);
  }
}

async function cannotConnect(
  cause: unknown,
  url: string,
  target: HostTarget,
  envToken: string | undefined,
): Promise<unknown> {
  if (cause instanceof SshFailure) return new CliError(EXIT.cannotConnect, cause.message, { cause });
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
    (isRefused || cause instanceof CannotConnect) &&
    target.fingerprints === undefined &&
    target.ssh === undefined
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
    if (target.ssh === undefined && pathname !== '/' && !pathname.endsWith('/ahp')) {
      const base = origin === 'null' ? `${protocol}//${host}` : origin;
      const message = `the host at ${base} has nothing at the path ${pathname}: remove the path`;
      return new CliError(EXIT.cannotConnect, message, { cause });
    }
    if (target.lacksToken === true && refusal?.status === 401)
      return new CliError(EXIT.cannotConnect, noTokenText(target.name, url), { cause });
    // After the connection is made, the only refusal is for the token.
    const text = refusalText(refusal ?? { status: 401, reason: cause.message }, asked);
    return new CliError(EXIT.cannotConnect, text, { cause });
  }
  if (cause instanceof CannotConnect) {
    if (refusal !== undefined)
      return new CliError(EXIT.cannotConnect, refusalText(refusal, asked), { cause });
    if (target.ssh !== undefined)
      return new CliError(EXIT.cannotConnect, `the host at ${url} cannot be reached: ${cause.message}`, {
        cause,
      });
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
