import { type AhpClient, type ConnectOptions, connect } from '@agenthost/client';
import { defined } from '@agenthost/protocol/values';

/** Where to connect, and by which certificate the host is known. */
export interface ClientTarget {
  readonly url: string;
  readonly token?: string;
  /** Absent: by the authorities that this machine trusts, or without TLS. */
  readonly fingerprints?: readonly string[];
}

/** Connects; rejects as `connect` and `connectPinned` of the client library. */
export async function openClient(
  { url, token, fingerprints }: ClientTarget,
  options: ConnectOptions,
): Promise<AhpClient> {
  const all = { ...options, ...defined({ token }) };
  if (fingerprints === undefined) return connect(url, all);
  // Loaded on demand: most local hosts have no TLS.
  const { connectPinned } = await import('@agenthost/client/pinned');
  return connectPinned(url, { ...all, fingerprints });
}
