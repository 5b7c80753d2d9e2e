import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { checkCredentials, type TlsCredentials, TlsError } from './credentials.ts';
import { makeCertificate } from './make-certificate.ts';

/** The longest validity that Apple's browsers accept. */
const VALID_DAYS = 825;
const RENEW_BEFORE_MS = 30 * 86_400_000;

/** Options of a self-signed certificate. */
export interface SelfSignedOptions {
  /** Folder of `key.pem` (mode 0600) and `certificate.pem`, created on first use. Absent: they are kept in memory only. */
  readonly folder?: string | undefined;
  /** DNS names and IP addresses that the certificate must be valid for. */
  readonly names: readonly string[];
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * The host's self-signed certificate. The key is created once, so that its pinned fingerprint stays valid. The certificate is renewed 30
 * days before it expires, and when it lacks a name. Throws `TlsError` when the files cannot be used.
 */
export async function selfSigned({ folder, names, now }: SelfSignedOptions): Promise<TlsCredentials> {
  const keyFile = join(folder ?? '', 'key.pem');
  const certFile = join(folder ?? '', 'certificate.pem');
  const keyText = folder === undefined ? newKey() : keptKey(folder, keyFile);
  const key = parseKey(keyText, keyFile);
  const kept = folder === undefined ? undefined : readIfPresent(certFile);
  if (kept !== undefined && isFit(kept, key, names, now)) {
    return checkCredentials({ cert: kept, key: keyText, certFile, keyFile });
  }
  const cert = await makeCertificate({ key, names, now, validDays: VALID_DAYS });
  if (folder !== undefined) write(certFile, cert);
  return checkCredentials({ cert, key: keyText, certFile, keyFile });
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function keptKey(folder: string, file: string): string {
  const kept = readIfPresent(file);
  if (kept !== undefined) {
    // Other users may have read the key before; from now on they cannot.
    if (process.platform !== 'win32') chmodSync(file, 0o600);
    return kept;
  }
  const key = newKey();
  ensureFolder(folder);
  write(file, key);
  return key;
}

function parseKey(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch (cause) {
    throw new TlsError(unusable(file), { cause });
  }
  throw new TlsError(unusable(file));
}

const unusable = (file: string): string =>
  `${file} is not a key of this host: delete the file to get a new key, then give the new fingerprint to clients`;

function isFit(text: string, key: KeyObject, names: readonly string[], now: number): boolean {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(text);
  } catch {
    // The file is not a complete certificate. The host makes a new one from the same key.
    return false;
  }
  return (
    certificate.checkPrivateKey(key) &&
    Date.parse(certificate.validTo) - now > RENEW_BEFORE_MS &&
    Date.parse(certificate.validFrom) <= now &&
    names.every((name) => isNamed(certificate, name))
  );
}

const isNamed = (certificate: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) !==
  undefined;

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new TlsError(`${file} cannot be read: check its permissions`, { cause });
  }
}

/** Writes a file atomically with mode 0600. */
function write(file: string, text: string): void {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (cause) {
    throw new TlsError(`${file} cannot be created: check the folder's permissions and its free space`, {
      cause,
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}
