import { join } from 'node:path';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { readCredentials, type TlsCredentials } from '../tls/credentials.ts';
import { namesOf } from '../tls/names.ts';
import { CertificateRenewal } from '../tls/renewal.ts';
import { selfSigned } from '../tls/self-signed.ts';
import type { HostServer } from '../wire/http/server.ts';
import type { HostEvents } from './events.ts';
import type { CertificateInfo, ListenOptions } from './options.ts';

/** The certificate and key to listen with, if any. Throws `TlsError`. */
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

/** The public part of the credentials. */
export const certificateInfo = ({
  fingerprint,
  keyFingerprint,
  warnings,
}: TlsCredentials): CertificateInfo => ({ fingerprint, keyFingerprint, warnings });

/** Watches the certificate files while the host listens. Returns a function that stops this. */
export function followFiles(
  { tls }: ListenOptions,
  credentials: TlsCredentials | undefined,
  { server, clock, timers, log, emit }: Following,
): () => void {
  // A certificate that the host created itself is renewed only at start.
  if (credentials === undefined || tls === undefined || tls === 'self-signed') return () => undefined;
  const renewal = new CertificateRenewal({
    files: tls,
    credentials,
    timers,
    now: () => clock.now(),
    use: (renewed) => {
      server.useCredentials(renewed);
      const certificate = certificateInfo(renewed);
      log.info({ fingerprint: renewed.fingerprint }, 'the certificate was renewed');
      for (const warning of renewed.warnings) log.warn({}, warning);
      emit('certificateRenewed', { certificate });
    },
    refuse: (error) => {
      log.error({ error }, 'the certificate files have changed and cannot be used');
      emit('certificateRefused', { reason: error.message });
    },
  });
  return () => renewal.end();
}

/** Services for watching certificate files. */
interface Following {
  readonly server: Pick<HostServer, 'useCredentials'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void;
}
