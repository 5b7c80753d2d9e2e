import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

/** What the other end of a TLS connection shows. Fingerprints are SHA-256 as upper-case hex with colons. */
export interface TlsPeer {
  /** Of the certificate. */
  readonly fingerprint: string;
  /** Of its public key (SPKI), which a renewed certificate may share. */
  readonly keyFingerprint: string;
  /** Whether it holds for that name by the authorities that this machine trusts. */
  readonly isTrusted: boolean;
}

/** The other end has none of the certificates that were expected: it is another host, or somebody stands in between. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused';
  readonly code = 'certificate-refused';
  /** What the other end has. */
  readonly peer: TlsPeer;

  constructor(authority: string, peer: TlsPeer) {
    super(`the certificate of ${authority} is another than expected: ${peer.fingerprint}`);
    this.peer = peer;
  }
}

/** Where to connect, and how to give up. */
export interface TlsTarget {
  /** `wss://…` or `https://…`; only host and port count. */
  readonly url: string;
  readonly signal?: AbortSignal | undefined;
}

/** Fingerprints however they are written: hex of either case, with or without colons or a `SHA256:` in front. */
export const canonicalFingerprint = (text: string): string | undefined => {
  const hex = text
    .trim()
    .replace(/^sha-?256[:=\s]\s*/i, '')
    .replaceAll(':', '')
    .toUpperCase();
  return /^[0-9A-F]{64}$/.test(hex) ? hex.replace(/(..)(?!$)/g, '$1:') : undefined;
};

/** Shakes hands and looks at the certificate; sends nothing. Rejects with the system's error or the signal's reason. */
export async function lookAtTlsPeer(target: TlsTarget): Promise<TlsPeer> {
  const { socket, peer } = await shakeHands(target);
  socket.destroy();
  return peer;
}

/**
 * A TLS connection to the host whose certificate or key has one of `fingerprints`, before which nothing is sent. Names, dates and
 * authorities do not matter then. Rejects with `CertificateRefused`, the system's error or the signal's reason.
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
      // Who it is decides the caller, by the fingerprint.
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
        // Errors of a socket that is given up have nobody to tell.
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
