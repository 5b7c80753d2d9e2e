import { type AhpClient, type ConnectOptions, connect } from '@agenthost/client';
import { defined } from '@agenthost/protocol/values';

import type { SshTarget } from './ssh-arguments.ts';

/** The address of a host, and its expected certificate. */
export interface ClientTarget {
  readonly url: string;
  readonly token?: string;
  /** Absent: by the authorities that this machine trusts, or without TLS. */
  readonly fingerprints?: readonly string[];
  /** Absent: at the URL. */
  readonly ssh?: SshTarget;
}

/** Time for `ssh` to sign in, and for a first host to start on the other machine. */
const SSH_TIMEOUT_MS = 90_000;
/** Longest time between two attempts of `ssh`, which may ask a person to confirm each sign-in. */
const SSH_BACKOFF_MS = 10_000;

/**
 * Connects; rejects as `connect`, `connectPinned` and `connectStream` of the client library, the last with an `SshFailure`. `onStarted` is called when a
 * host was started on the other machine.
 */
export async function openClient(
  { url, token, fingerprints, ssh }: ClientTarget,
  options: ConnectOptions,
  onStarted?: (version: string) => void,
): Promise<AhpClient> {
  if (ssh !== undefined) {
    const [{ connectStream }, { openSshLink }] = await Promise.all([
      import('@agenthost/client/stream'),
      import('./ssh-link.ts'),
    ]);
    return connectStream({
      ...options,
      connectTimeoutMs: SSH_TIMEOUT_MS,
      backoff: { maxMs: SSH_BACKOFF_MS },
      open: async (signal) => {
        const link = await openSshLink(ssh, signal, ({ isNew, agenthost }) => {
          if (isNew === true) onStarted?.(agenthost);
        });
        return { ...link, ...defined({ token: token ?? link.token }) };
      },
    });
  }
  const all = { ...options, ...defined({ token }) };
  if (fingerprints === undefined) return connect(url, all);
  // Loaded on demand: most local hosts have no TLS.
  const { connectPinned } = await import('@agenthost/client/pinned');
  return connectPinned(url, { ...all, fingerprints });
}
