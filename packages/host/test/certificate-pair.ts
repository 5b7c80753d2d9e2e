import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { makeCertificate } from '../src/tls/make-certificate.ts';

/** A new key and a certificate for it, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate, upper-case hex with colons. */
  readonly fingerprint: string;
}

/** A pair for 127.0.0.1 that is valid for 30 days from `now`, in ms since the epoch. */
export async function newCertificatePair(now: number): Promise<CertificatePair> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const cert = await makeCertificate({
    key: createPrivateKey(key),
    names: ['127.0.0.1'],
    now,
    validDays: 30,
  });
  return { cert, key, fingerprint: new X509Certificate(cert).fingerprint256 };
}
