import { join } from 'node:path';
import { readCredentials, type TlsCredentials } from '../tls/credentials.ts';
import { namesOf } from '../tls/names.ts';
import { selfSigned } from '../tls/self-signed.ts';
import type { HostAddress, ListenOptions } from './options.ts';

/** Certificate and key that a host is to listen with, if any. Throws `TlsError`. */
export async function credentialsOf(
  { host = '127.0.0.1', tls, allowedHosts = [] }: ListenOptions,
  dataDir: string | undefined,
  now: number,
): Promise<TlsCredentials | undefined> {
  if (tls === undefined) return undefined;
  if (tls !== 'self-signed') return readCredentials(tls, now);
  const folder = dataDir === undefined ? undefined : join(dataDir, 'tls');
  return selfSigned({ folder, names: namesOf(host, allowedHosts), now });
}

/** What is told of them: everything but the key. */
export function certificateInfo(credentials: TlsCredentials | undefined): Pick<HostAddress, 'certificate'> {
  if (credentials === undefined) return {};
  const { fingerprint, keyFingerprint, warnings } = credentials;
  return { certificate: { fingerprint, keyFingerprint, warnings } };
}
