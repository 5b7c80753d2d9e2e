import { ConnectionLost } from '@agenthost/client';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { type Connected, connectTarget } from './connect-target.ts';
import { findHost, type HostOptions, type HostTarget, withoutToken } from './find-host.ts';
import { recordingOf } from './recording.ts';

/** Connects, calls `use`, and closes the connection in every case. Records the frames with `--record`. */
export async function withHost<T>(
  context: Context,
  screen: Screen,
  options: HostOptions,
  use: (connected: Connected) => Promise<T>,
): Promise<T> {
  const recording = await recordingOf(context, screen, options);
  try {
    const target = await targetOf(context, screen, options);
    screen.status(`connecting to ${oneLine(target.name ?? withoutToken(target.url))}`);
    const fingerprint = fingerprintFor(context, options, target);
    const connected = await connectTarget(context, screen, target, {
      fingerprint,
      wrapTransport: recording?.wrapTransport,
    }).finally(() => screen.status(undefined));
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

/** AGENTHOST_FINGERPRINT is for the host of AGENTHOST_URL, and not for those with a name or behind `ssh`. */
function fingerprintFor(
  { env }: Context,
  { fingerprint }: HostOptions,
  { name, ssh }: HostTarget,
): string | undefined {
  const isOfEnvironment = fingerprint === env['AGENTHOST_FINGERPRINT'];
  return isOfEnvironment && (name !== undefined || ssh !== undefined) ? undefined : fingerprint;
}

/** The host that has the session of the command, where several hosts may have it; else the chosen one. */
async function targetOf(context: Context, screen: Screen, options: HostOptions): Promise<HostTarget> {
  const { ofSession, url, host } = options;
  if (ofSession === undefined || url !== undefined || host !== undefined)
    return findHost(context, screen, options);
  const { hostOfSession } = await import('../hosts/host-of-session.ts');
  return (await hostOfSession(context, screen, ofSession)) ?? findHost(context, screen, options);
}
