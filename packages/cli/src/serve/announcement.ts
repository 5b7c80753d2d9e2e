import type { CertificateInfo, HostAddress } from '@agenthost/host';
import { announceHost } from '../host-link/discovery.ts';
import type { RunningHost } from './start.ts';

/** What clients know a host's certificate by; nothing without TLS. */
export type Certified = Partial<Pick<CertificateInfo, 'fingerprint' | 'keyFingerprint'>>;

/** Word of a running host, for the other commands of its user. */
export interface WordOfHost {
  /** Of its present certificate. */
  readonly certified: Certified;
  /** Takes it back. */
  withdraw(): Promise<void>;
}

/** Leaves word of a host in `folder`, and keeps it true when its certificate changes; `tell` gets a line when that cannot be done. */
export async function leaveWord(
  folder: string,
  running: RunningHost,
  { url, wsUrl, dataDir, version }: Pick<HostAddress, 'url' | 'wsUrl'> & { dataDir: string; version: string },
  tell: (line: string) => void,
): Promise<WordOfHost> {
  const { token, certificate } = running.address;
  const facts = { url, wsUrl, token, dataDir, version, startedAt: new Date().toISOString() };
  let certified = certifiedBy(certificate);
  const withdraw = await announceHost(folder, { ...facts, ...certified });
  let announced: Promise<unknown> = Promise.resolve();
  running.onCertificate((renewed) => {
    certified = certifiedBy(renewed);
    announced = announced
      .then(() => announceHost(folder, { ...facts, ...certified }))
      .catch(() =>
        tell(
          `${folder} cannot be written: clients here have to be told the new certificate by --fingerprint`,
        ),
      );
  });
  return {
    get certified() {
      return certified;
    },
    withdraw: () => announced.then(withdraw),
  };
}

const certifiedBy = (certificate: CertificateInfo | undefined): Certified =>
  certificate === undefined
    ? {}
    : { fingerprint: certificate.fingerprint, keyFingerprint: certificate.keyFingerprint };
