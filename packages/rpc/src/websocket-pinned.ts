import { connectPinnedTls } from './tls-peer.ts';
import type { Transport } from './transport.ts';
import { type ConnectStreamOptions, connectStreamWebSocket } from './websocket-stream.ts';

export {
  CertificateRefused,
  canonicalFingerprint,
  connectPinnedTls,
  lookAtTlsPeer,
  type TlsPeer,
  type TlsTarget,
} from './tls-peer.ts';
export { UpgradeRefused } from './websocket-stream.ts';

/** Options of `connectPinnedWebSocket`. */
export interface ConnectPinnedOptions extends ConnectStreamOptions {
  /** Accepted SHA-256 fingerprints of certificates or public keys, as `canonicalFingerprint` returns them. */
  readonly fingerprints: readonly string[];
}

/**
 * Node only: connects to the host that shows one of these fingerprints, whoever signed its certificate.
 * Nothing, in particular no token, is sent to any other host. Rejects with `CertificateRefused`,
 * `ConnectFailed` or the signal's reason.
 */
export async function connectPinnedWebSocket(
  url: string,
  { fingerprints, ...options }: ConnectPinnedOptions,
): Promise<Transport> {
  const { signal } = options;
  const tls = await connectPinnedTls({ url, signal }, fingerprints);
  return connectStreamWebSocket(url, tls, options);
}
