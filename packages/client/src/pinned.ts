import { errorText } from '@agenthost/protocol/values';
import type { Transport } from '@agenthost/rpc';
import { ConnectFailed } from '@agenthost/rpc/websocket';
import {
  CertificateRefused,
  canonicalFingerprint,
  connectPinnedWebSocket,
  lookAtTlsPeer,
  type TlsPeer,
  UpgradeRefused,
} from '@agenthost/rpc/websocket-pinned';
import type { AhpClient } from './client.ts';
import { type ConnectOptions, createClient, endpointOf } from './connection/connect.ts';
import { refusalOf, refused } from './connection/refusal.ts';
import { CannotConnect, UntrustedHost } from './errors.ts';

export { CertificateRefused, canonicalFingerprint, type TlsPeer };

/** How to reach a host that is known by its certificate. */
export interface PinnedConnectOptions extends ConnectOptions {
  /**
   * SHA-256 of its certificate or of its public key; one of several is enough. Hex of either case, with colons or without. Any other
   * host is refused before anything is sent to it.
   */
  fingerprints: readonly string[];
}

/**
 * For Node: `connect` to a host by `https://…` or `wss://…` that shows one of these fingerprints, whoever signed its certificate.
 * Rejects with `UntrustedHost` too, whose cause is a `CertificateRefused`; throws a `TypeError` for what is no fingerprint.
 */
export async function connectPinned(
  url: string,
  { token, fingerprints, ...behavior }: PinnedConnectOptions,
): Promise<AhpClient> {
  const endpoint = endpointOf(url, token);
  if (endpoint.protocol !== 'wss:')
    throw new TypeError(`${endpoint.origin}: only https and wss have fingerprints`);
  // Where a header can be sent, no log of a proxy need hold the token.
  const given = endpoint.searchParams.get('token');
  endpoint.searchParams.delete('token');
  const headers = given === null ? undefined : { authorization: `Bearer ${given}` };
  const pins = fingerprints.map(canonical);
  const client = createClient({
    ...behavior,
    transport: (signal) => open(endpoint, { fingerprints: pins, signal, ...(headers && { headers }) }),
  });
  await client.connect();
  return client;
}

/** What certificate a host shows. Sends nothing; rejects with `CannotConnect`. */
export async function certificateAt(url: string, signal?: AbortSignal): Promise<TlsPeer> {
  const endpoint = endpointOf(url);
  try {
    return await lookAtTlsPeer({ url: endpoint.href, signal });
  } catch (error) {
    throw cannotConnect(endpoint, error);
  }
}

function canonical(text: string): string {
  const fingerprint = canonicalFingerprint(text);
  if (fingerprint === undefined) throw new TypeError('a fingerprint has 64 hexadecimal digits');
  return fingerprint;
}

async function open(
  endpoint: URL,
  options: Parameters<typeof connectPinnedWebSocket>[1],
): Promise<Transport> {
  try {
    return await connectPinnedWebSocket(endpoint.href, options);
  } catch (error) {
    if (error instanceof CertificateRefused) throw new UntrustedHost(error.message, { cause: error });
    if (error instanceof ConnectFailed && error.cause instanceof UpgradeRefused) {
      const { status, contentType, body } = error.cause;
      throw refused(endpoint, refusalOf(status, contentType, body), error);
    }
    if (options.signal?.aborted === true) throw error;
    throw cannotConnect(endpoint, error);
  }
}

const cannotConnect = ({ host }: URL, cause: unknown): CannotConnect =>
  new CannotConnect(`cannot connect to ${host}: ${errorText(cause)}`, {
    cause,
  });
