import { errorText } from '@agenthost/protocol/values';
import type { Transport } from '@agenthost/rpc';
import {
  CertificateRefused,
  canonicalFingerprint,
  connectPinnedTls,
  connectPinnedWebSocket,
  lookAtTlsPeer,
  type TlsPeer,
} from '@agenthost/rpc/websocket-pinned';
import type { AhpClient } from './client.ts';
import {
  type ConnectOptions,
  connected,
  createClient,
  endpointOf,
  tokenHeader,
} from './connection/connect.ts';
import { refusedUpgrade } from './connection/refused-upgrade.ts';
import { CannotConnect, UntrustedHost } from './errors.ts';

export { CertificateRefused, canonicalFingerprint, connectPinnedTls, type TlsPeer };

/** Options of `connectPinned`. */
export interface PinnedConnectOptions extends ConnectOptions {
  /**
   * SHA-256 fingerprints of the certificate or of its public key; one match is enough. Hexadecimal digits of
   * either case, with or without colons. Nothing is sent to a host that does not match.
   */
  fingerprints: readonly string[];
}

/**
 * Node only: connects to a host by `https://…` or `wss://…` whose certificate has one of these fingerprints,
 * whoever signed it. Rejects like `connect`, and with `UntrustedHost` when no fingerprint matches; its
 * `cause` is a `CertificateRefused`. Throws a `TypeError` for an invalid fingerprint.
 *
 * @example
 * const client = await connectPinned('https://devbox:7433', { token, fingerprints: ['AB:CD:…'] });
 */
export async function connectPinned(
  url: string,
  { token, signal: giveUp, fingerprints, ...behavior }: PinnedConnectOptions,
): Promise<AhpClient> {
  const endpoint = endpointOf(url, token);
  if (endpoint.protocol !== 'wss:')
    throw new TypeError(`${endpoint.origin}: fingerprints need an https or wss URL`);
  const headers = tokenHeader(endpoint);
  const pins = fingerprints.map(canonical);
  const client = createClient({
    address: url,
    ...behavior,
    transport: (signal) => open(endpoint, { fingerprints: pins, signal, ...headers }),
  });
  return connected(client, giveUp);
}

/** Reads the certificate of a host. Sends no request. Rejects with `CannotConnect`. */
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
  if (fingerprint === undefined) throw new TypeError('invalid fingerprint: expected 64 hexadecimal digits');
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
    const refusal = refusedUpgrade(endpoint, error);
    if (refusal !== undefined) throw refusal;
    if (options.signal?.aborted === true) throw error;
    throw cannotConnect(endpoint, error);
  }
}

const cannotConnect = ({ host }: URL, cause: unknown): CannotConnect =>
  new CannotConnect(`cannot connect to ${host}: ${errorText(cause)}`, {
    cause,
  });
