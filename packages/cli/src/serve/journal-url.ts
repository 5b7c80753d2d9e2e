import { type JournalError, PostgresJournal } from '@agenthost/host';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Where a host in PostgreSQL keeps its sessions. */
export interface JournalPlace {
  /** Of `--journal`, AGENTHOST_JOURNAL or the config file. */
  readonly url: string;
  /** Of AGENTHOST_JOURNAL_PASSWORD. Default: that of PGPASSWORD or of the password file (`~/.pgpass`). */
  readonly password: string | undefined;
  /** Waits for the cell without a limit. */
  readonly isStandby: boolean;
}

/** What is wrong with a journal URL, without the URL itself; `undefined` when nothing is. */
export function findJournalFault(given: string): string | undefined {
  const url = URL.parse(given);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    return 'expected a URL such as postgres://user@server/database?cell=name';
  // Other users of the machine see the command line of a process.
  if (url.password !== '' || url.searchParams.has('password'))
    return 'contains a password: put the password into AGENTHOST_JOURNAL_PASSWORD or ~/.pgpass';
  return undefined;
}

/** Throws a usage error for a URL that does not fit. */
export function checkJournalUrl(given: string): string {
  const fault = findJournalFault(given);
  if (fault === undefined) return given;
  // A text with a password is not repeated.
  const got =
    fault.startsWith('expected') && !given.includes('@') ? `, got ${oneLine(given) || 'nothing'}` : '';
  throw usageError(`--journal: ${fault}${got}`);
}

/**
 * The journal of a place. `tell` gets one line while the journal waits for another host; `onLost` is called when another host has taken
 * the cell.
 */
export function journalAt(
  { url: given, password, isStandby }: JournalPlace,
  { tell, onLost }: { tell: (line: string) => void; onLost: (failure: JournalError) => void },
): PostgresJournal {
  const url = new URL(given);
  const cell = url.searchParams.get('cell') || undefined;
  url.searchParams.delete('cell');
  return new PostgresJournal({
    url: url.href,
    password,
    cell,
    ...(isStandby && { waitMs: Number.POSITIVE_INFINITY }),
    onWait: (message) => tell(`waiting: ${oneLine(message)}`),
    onLost,
  });
}
