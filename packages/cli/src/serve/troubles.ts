import type { Host } from '@agenthost/host';
import { oneLine } from '../render/plain-text.ts';

/** Tells a person of what a host's journal goes through, one line each. */
export function tellTroubles(host: Pick<Host, 'on'>, tell: (line: string) => void): void {
  host.on('databaseSetAside', ({ path, reason }) =>
    tell(
      `the database was damaged (${oneLine(reason)}): it is kept in ${oneLine(path)}, and a new one was begun`,
    ),
  );
  host.on('journalUnavailable', ({ error }) => {
    const why = error instanceof Error ? error.message : String(error);
    tell(`nothing can be saved now, so clients are refused; trying again each second: ${oneLine(why)}`);
  });
  host.on('journalRecovered', () => tell('the journal can be written again'));
}
