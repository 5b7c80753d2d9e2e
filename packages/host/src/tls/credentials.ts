import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorCode, errorText } from '@agenthost/protocol/values';

/** A certificate or key cannot be used. The message is one sentence that names the file and says what to do. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
  readonly code = 'tls';
}

/** A host's certificate and key. */
export interface TlsCredentials {
  /** PEM, followed by the certificates of intermediate authorities. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** SHA-256 of the certificate, upper-case hex with colons. */
  readonly fingerprint: string;
  /** SHA-256 of its public key (SPKI), in the same form. */
  readonly keyFingerprint: string;
  /** Sentences for the log and the user. */
  readonly warnings: readonly string[];
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads certificate and key. Throws `TlsError` for files that cannot be read or do not belong together. Expiry is only a warning. */
export function readCredentials({ certFile, keyFile }: TlsFiles, now: number): TlsCredentials {
  const cert = readPem(certFile, 'certificate');
  const key = readPem(keyFile, 'key');
  const credentials = checkCredentials({ cert, key, certFile, keyFile });
  const certificate = new X509Certificate(cert);
  const warnings = [...datesOf(certificate, certFile, now), ...modeOf(keyFile)];
  return { ...credentials, warnings };
}

/** Checks the content of these files. Throws `TlsError`. */
export function checkCredentials({
  cert,
  key,
  certFile,
  keyFile,
}: TlsFiles & { readonly cert: string; readonly key: string }): TlsCredentials {
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parseKey(key, keyFile))) {
    throw new TlsError(
      `the key in ${keyFile} does not belong to the certificate in ${certFile} (the first in that file counts): give the pair that was made together`,
    );
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new TlsError(`${certFile} and ${keyFile} cannot be used for TLS: ${reasonOf(cause)}`, { cause });
  }
  return { cert, key, ...fingerprintsOf(certificate), warnings: [] };
}

function fingerprintsOf(
  certificate: X509Certificate,
): Pick<TlsCredentials, 'fingerprint' | 'keyFingerprint'> {
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  const hex = createHash('sha256').update(key).digest('hex').toUpperCase();
  return { fingerprint: certificate.fingerprint256, keyFingerprint: hex.replace(/(..)(?!$)/g, '$1:') };
}

function readPem(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TlsError(`the ${what} file ${file} cannot be read (${reasonOf(cause)})`, { cause });
  }
}

function parseCertificate(text: string, file: string): X509Certificate {
  try {
    // The first certificate of a chain.
    return new X509Certificate(text);
  } catch (cause) {
    throw new TlsError(`${file} holds no certificate in PEM (-----BEGIN CERTIFICATE-----)`, { cause });
  }
}

function parseKey(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    if (/ENCRYPTED/.test(text)) {
      throw new TlsError(
        `the key in ${file} is protected by a passphrase, which agenthost does not support: write it without one (openssl pkey -in … -out …, mode 0600)`,
        { cause },
      );
    }
    throw new TlsError(`${file} holds no private key in PEM (-----BEGIN PRIVATE KEY-----)`, { cause });
  }
}

function datesOf(certificate: X509Certificate, file: string, now: number): string[] {
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) < now)
    return [`the certificate in ${file} expired on ${dayOf(validTo)}: browsers refuse it`];
  if (Date.parse(validFrom) > now)
    return [`the certificate in ${file} is not valid before ${dayOf(validFrom)}`];
  return [];
}

const dayOf = (date: string): string => new Date(date).toISOString().slice(0, 10);

function modeOf(file: string): string[] {
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o007;
  return mode === 0 ? [] : [`the key in ${file} can be read by every user of this machine: chmod 600 it`];
}

const reasonOf = (cause: unknown): string => errorCode(cause) ?? errorText(cause);
