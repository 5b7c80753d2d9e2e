import { type Host, JournalError } from '@agenthost/host';
import { oneLine } from '../render/plain-text.ts';

/** Tells a person of what a host's journal, files and certificate go through, one line each. */
export function tellTroubles(host: Pick<Host, 'on'>, tell: (line: string) => void): void {
  host.on('databaseSetAside', ({ path, reason }) =>
    tell(
      `the database was damaged (${oneLine(reason)}): it is kept in ${oneLine(path)}, and a new one was begun, without its sessions and access tokens`,
    ),
  );
  host.on('databaseLost', () =>
    tell('the database was empty or gone: a new one was begun, without its sessions and access tokens'),
  );
  host.on('exposureFound', ({ message }) => tell(oneLine(message)));
  host.on('databaseDamaged', ({ error }) => tell(oneLine(error.message)));
  host.on('journalUnavailable', ({ error }) => {
    // No attempt helps then, and why was said.
    const isDamaged = error instanceof JournalError && error.code === 'damaged';
    const why = error instanceof Error ? error.message : String(error);
    tell(
      isDamaged
        ? 'nothing is saved any more, and clients are refused'
        : `nothing can be saved now, so clients are refused; trying again each second: ${oneLine(why)}`,
    );
  });
  host.on('certificateRenewed', ({ certificate: { fingerprint, warnings } }) => {
    tell(`the certificate was renewed: SHA256 ${fingerprint}`);
    for (const warning of warnings) tell(oneLine(warning));
  });
  host.on('certificateRefused', ({ reason }) =>
    tell(`the new certificate is not used, and the one before goes on: ${oneLine(reason)}`),
  );
  host.on('journalRecovered', () => tell('the journal can be written again'));
}
