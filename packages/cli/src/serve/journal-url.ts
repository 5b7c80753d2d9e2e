import {
  type Announcement,
  endRecorded,
  isCellName,
  type JournalError,
  PostgresJournal,
} from '@agenthost/host';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Called while a host waits for its cell, with the reason, and with machine and process of the holder if they are known. */
export type WaitListener = (reason: string, holder: string | undefined) => void;

/** Where a host in PostgreSQL keeps its sessions. */
export interface JournalPlace {
  /** Of `--journal`, AGENTHOST_JOURNAL or the config file. */
  readonly url: string;
  /** Of AGENTHOST_JOURNAL_PASSWORD. Default: that of PGPASSWORD or of the password file (`~/.pgpass`). */
  readonly password: string | undefined;
  /** Waits for the cell without a limit. */
  readonly isStandby: boolean;
  /** How gateways find the host. `url` absent: at the address that it listens on. */
  readonly announced: { readonly url: string | undefined; readonly labels: readonly string[] };
}

/** The database and the cell that a journal URL names. */
export function splitJournalUrl(given: string): { readonly url: string; readonly cell: string | undefined } {
  const url = new URL(given);
  const cell = url.searchParams.get('cell') ?? undefined;
  url.searchParams.delete('cell');
  return { url: url.href, cell };
}

/** The cell of a journal URL. */
export const cellOf = (given: string): string => splitJournalUrl(given).cell ?? 'main';

/** Throws a usage error for an address that gateways cannot connect to. */
export function checkAnnounced(given: string): void {
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '') return;
  throw usageError(
    `--announce: expected a URL such as https://machine1:4711, without a path, got ${oneLine(given) || 'nothing'}`,
  );
}

/**
 * The announcement of a host. `address`: where it listens; for all addresses, the name of the machine is announced. `fingerprint`: of its own certificate.
 */
export function announcementOf(
  { url, labels }: JournalPlace['announced'],
  { address, machine, fingerprint }: { address: string; machine: string; fingerprint: string | undefined },
  load: Pick<Announcement, 'runningTurns' | 'isDraining'>,
): Announcement {
  const listened = new URL(address);
  if (['0.0.0.0', '[::]'].includes(listened.hostname)) listened.hostname = machine;
  return { url: url ?? listened.origin, ...(fingerprint && { fingerprint }), labels, ...load };
}

/**
 * The `Host` that gateways send to a host with these settings: `name:port`, or the name of the machine when it listens on all addresses. `undefined`: that
 * of the address that it listens on.
 */
export function announcedHostOf(
  { url }: Pick<JournalPlace['announced'], 'url'>,
  { host, machine }: { host: string; machine: string },
): string | undefined {
  if (url === undefined) return ['0.0.0.0', '::', '[::]'].includes(host) ? machine.toLowerCase() : undefined;
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** The parameters of a journal URL that take effect. The database library ignores others, or the host replaces their values. */
const PARAMETERS = ['cell', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'user', 'options'];
/** `require` and `verify-ca` check as much as `verify-full`, which is more than in the tools of PostgreSQL. `prefer` and `allow` may use no TLS there. */
const SSL_MODES = ['verify-full', 'verify-ca', 'require', 'no-verify', 'disable'];

function findParameterFault({ searchParams }: URL): string | undefined {
  for (const [name, value] of searchParams) {
    if (!PARAMETERS.includes(name))
      return `unknown parameter ${quoted(name)}: expected one of ${PARAMETERS.join(', ')}`;
    if (searchParams.getAll(name).length > 1) return `${name}: is given twice`;
    // Gateways have the name in their paths.
    if (name === 'cell' && !isCellName(value))
      return `cell: expected 1 to 100 letters, digits and _.~-, got ${quoted(value)}`;
    if (name === 'sslmode' && !SSL_MODES.includes(value))
      return `sslmode: expected one of ${SSL_MODES.join(', ')}, got ${quoted(value)}`;
    if (value === '') return `${name}: expected a value, got nothing`;
  }
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    return 'sslcert and sslkey require each other: use both';
  return undefined;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

/** The fault of a journal URL, without the URL itself; `undefined` for a valid URL. */
export function findJournalFault(given: string): string | undefined {
  const url = URL.parse(given);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    return 'expected a URL such as postgres://user@server/database?cell=name';
  // Other users of the machine see the command line of a process.
  if (url.password !== '' || url.searchParams.has('password'))
    return 'contains a password: put the password into AGENTHOST_JOURNAL_PASSWORD or ~/.pgpass';
  return findParameterFault(url);
}

/** Throws a usage error for an invalid URL. */
export function checkJournalUrl(given: string): string {
  const fault = findJournalFault(given);
  if (fault === undefined) return given;
  // A text with a password is not repeated.
  const got =
    fault.startsWith('expected') && !given.includes('@') ? `, got ${oneLine(given) || 'nothing'}` : '';
  throw usageError(`--journal: ${fault}${got}`);
}

/**
 * The journal of a place. `tell` gets a line when the journal waits for another host, or for the outcome of a commit. `onWait` is called with the reason
 * and the holder while it waits for its cell, `onLost` when another host has taken the cell.
 */
export function journalAt(
  { url: given, password, isStandby }: JournalPlace,
  {
    dataDir,
    tell,
    onWait,
    onLost,
  }: {
    dataDir: string;
    tell: (line: string) => void;
    onWait: WaitListener | undefined;
    onLost: (failure: JournalError) => void;
  },
): PostgresJournal {
  return new PostgresJournal({
    ...splitJournalUrl(given),
    password,
    dataFolder: dataDir,
    ...(isStandby && { waitMs: Number.POSITIVE_INFINITY }),
    onWait: (message, holder) => {
      tell(`waiting: ${oneLine(message)}`);
      onWait?.(message, holder);
    },
    onUnknown: (message) =>
      tell(`waiting for the database; it is unknown whether it saved the last changes: ${oneLine(message)}`),
    endOrphans: endRecorded,
    onLost,
  });
}
