import { errorCode, errorText } from '@agenthost/protocol/values';
import { JournalError } from '../journal.ts';
import { tlsFault } from './tls-errors.ts';

/** SQLSTATE classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const SQL_STATES = {
  wrongPassword: '28P01',
  notAdmitted: '28000',
  noDatabase: '3D000',
  noPermission: '42501',
  readOnly: '25006',
  tooManyConnections: '53300',
  lockTimeout: '55P03',
  canceled: '57014',
} as const;

/** Custom SQLSTATEs of the function `fence`: another host has taken the cell (`FENCED`), or the last commit of this host is missing (`REWOUND`). */
export const FENCED = 'AH001';
export const REWOUND = 'AH002';

/** Message of a host that has lost its cell. */
export const TAKEN =
  'another host took over this journal: this host writes nothing more, and must be started again';

/** Message of a host whose database has other data than before. */
export const RESTORED =
  'the database of the journal was restored or replaced, and may lack the newest changes: this host writes nothing more, and must be started again';

/** Message of a host that is too old for the tables. */
export const UPGRADED =
  'a newer host changed the tables of the journal: install that version of agenthost, and start this host again';

/** The address of a server for messages, without secrets. */
export interface ServerPlace {
  readonly user: string;
  readonly database: string;
  /** `host:port`, or the folder of the socket. */
  readonly address: string;
}

/** The SQLSTATE or the system's code of an error. For several attempts to connect: the code of the first one. */
export function codeOf(cause: unknown): string | undefined {
  if (cause instanceof AggregateError) return codeOf(cause.errors[0]);
  return errorCode(cause);
}

/** Wraps an error of the server or of the connection. Returns a `JournalError` as it is. */
export function toJournalError(cause: unknown, { user, database, address }: ServerPlace): JournalError {
  if (cause instanceof JournalError) return cause;
  const fail = (code: JournalError['code'], message: string): JournalError =>
    new JournalError(code, message, { cause });
  if (isPasswordMissing(cause))
    return fail(
      'readOnly',
      `PostgreSQL at ${address} requires a password for ${user}: set AGENTHOST_JOURNAL_PASSWORD, or write a password file (~/.pgpass)`,
    );
  const fault = tlsFault(cause, address);
  // The certificate or the files may be replaced without a restart of the host.
  if (fault !== undefined) return fail('unreachable', fault);
  const code = codeOf(cause) ?? '';
  switch (code) {
    case SQL_STATES.wrongPassword:
      return fail(
        'readOnly',
        `PostgreSQL at ${address} refused the password of ${user}: set AGENTHOST_JOURNAL_PASSWORD, or write a password file (~/.pgpass)`,
      );
    case SQL_STATES.notAdmitted:
      return fail('readOnly', `PostgreSQL at ${address} does not admit ${user}: ${errorText(cause)}`);
    case SQL_STATES.noDatabase:
      return fail(
        'readOnly',
        `PostgreSQL at ${address} has no database ${database}: create it (createdb ${database})`,
      );
    case SQL_STATES.noPermission:
      return fail(
        'readOnly',
        `${user} lacks a permission in database ${database} at ${address} (${errorText(cause)}): make it the owner of the database or of its schema agenthost`,
      );
    case SQL_STATES.readOnly:
      return fail(
        'unreachable',
        `PostgreSQL at ${address} is read-only, as a standby is: connect to the primary`,
      );
    case SQL_STATES.lockTimeout:
      return fail('locked', `a transaction of another host still runs in PostgreSQL at ${address}`);
    case SQL_STATES.canceled:
      return fail('unreachable', `PostgreSQL at ${address} is too slow: ${errorText(cause)}`);
    case SQL_STATES.tooManyConnections:
      return fail('unreachable', `PostgreSQL at ${address} has no connection left: raise max_connections`);
    case FENCED:
      return fail('lost', TAKEN);
    case REWOUND:
      return fail('lost', RESTORED);
    default:
  }
  // Class 53: insufficient resources, above all a full disk. Class 57: the server stops or starts.
  if (code === '53100')
    return fail('full', `no room on the disk of PostgreSQL at ${address}: free some disk space`);
  if (isConnectionLoss(cause))
    return fail(
      'unreachable',
      `no answer from PostgreSQL at ${address} (${detailOf(cause)}): check the server and the network`,
    );
  return fail('io', `PostgreSQL at ${address} failed: ${errorText(cause)}`);
}

/** Whether the role lacks a permission for a statement, or for the connection. */
export const isPermissionMissing = (error: unknown): boolean =>
  error instanceof JournalError && codeOf(error.cause) === SQL_STATES.noPermission;

/** Whether the error means that the connection is lost, so that the outcome of a running `COMMIT` is unknown. */
export function isConnectionLoss(cause: unknown): boolean {
  const code = codeOf(cause);
  // Errors of the client library itself have no code.
  if (code === undefined) return true;
  // A SQLSTATE has a digit; a code of the system, such as EPIPE, has none.
  return !/^(?=.*\d)[0-9A-Z]{5}$/.test(code) || code.startsWith('08') || code.startsWith('57P');
}

/** Whether the server requested a password, and the client library had none. */
const isPasswordMissing = (cause: unknown): boolean =>
  codeOf(cause) === undefined && /^SASL: .*client password must be a/.test(errorText(cause));

function detailOf(cause: unknown): string {
  return cause instanceof AggregateError ? detailOf(cause.errors[0]) : errorText(cause);
}
