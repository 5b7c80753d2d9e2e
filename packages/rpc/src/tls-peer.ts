import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

/**
 * The certificate that the other end of a TLS connection shows. Fingerprints are SHA-256 in upper-case
 * hexadecimal digits with colons.
 */
export interface TlsPeer {
  /** Fingerprint of the certificate. */
  readonly fingerprint: string;
  /** Fingerprint of its public key (SPKI). A renewed certificate may have the same key. */
  readonly keyFingerprint: string;
  /** Whether the certificate is valid for the host name by the authorities that this machine trusts. */
  readonly isTrusted: boolean;
}

/**
 * The other end shows none of the expected certificates: it is another host, or a third party intercepts the
 * connection.
 */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused';
  readonly code = 'certificate-refused';
  /** The certificate that it shows. */
  readonly peer: TlsPeer;

  constructor(authority: string, peer: TlsPeer) {
    super(`the certificate of ${authority} is another than expected: ${peer.fingerprint}`);
    this.peer = peer;
  }
}

/** Address of a connection, and a signal that abandons it. */
export interface TlsTarget {
  /** `wss://…` or `https://…`. Only host and port are used. */
  readonly url: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Converts a fingerprint to its canonical form. Accepts hexadecimal digits of either case, with or without
 * colons and the prefix `SHA256:`. `undefined` when the text is no SHA-256 fingerprint.
 */
export const canonicalFingerprint = (text: string): string | undefined => {
  const hex = text
    .trim()
    .replace(/^sha-?256[:=\s]\s*/i, '')
    .replaceAll(':', '')
    .toUpperCase();
  return /^[0-9A-F]{64}$/.test(hex) ? hex.replace(/(..)(?!$)/g, '$1:') : undefined;
};

/**
 * Performs a TLS handshake and returns the certificate. Sends no data. Rejects with the system's error or the
 * signal's reason.
 */
export async function lookAtTlsPeer(target: TlsTarget): Promise<TlsPeer> {
  const { socket, peer } = await shakeHands(target);
  socket.destroy();
  return peer;
}

/**
 * A TLS connection to a host whose certificate or key has one of `fingerprints`. Nothing is sent before the
 * check. Names, dates and authorities are not checked. Rejects with `CertificateRefused`, the system's error
 * or the signal's reason.
 */
export async function connectPinnedTls(
  target: TlsTarget,
  fingerprints: readonly string[],
): Promise<TLSSocket> {
  const { socket, peer } = await shakeHands(target);
  if (fingerprints.includes(peer.fingerprint) || fingerprints.includes(peer.keyFingerprint)) return socket;
  socket.destroy();
  throw new CertificateRefused(new URL(target.url).host, peer);
}

function shakeHands({ url, signal }: TlsTarget): Promise<{ socket: TLSSocket; peer: TlsPeer }> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = connect({
      host,
      port: Number(port || 443),
      // The caller checks the fingerprint instead.
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const settle = (act: () => void): void => {
      signal?.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      socket.off('close', onClose);
      act();
    };
    const onAbort = (): void => fail(signal?.reason);
    const onError = (error: Error): void => fail(error);
    const onClose = (): void => fail(new Error('the connection was closed during the TLS handshake'));
    const fail = (error: unknown): void =>
      settle(() => {
        // Errors of an abandoned socket have no receiver.
        socket.on('error', () => undefined);
        socket.destroy();
        reject(error);
      });
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.on('error', onError);
    socket.on('close', onClose);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate === undefined) return fail(new Error('the other end shows no certificate'));
      const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
      const peer: TlsPeer = {
        fingerprint: certificate.fingerprint256,
        keyFingerprint: canonicalFingerprint(createHash('sha256').update(key).digest('hex')) ?? '',
        isTrusted: socket.authorized,
      };
      settle(() => resolve({ socket, peer }));
    });
  });
}
