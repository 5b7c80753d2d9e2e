import { existsSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { errorCode, errorText } from '@agenthost/protocol/values';
import { JournalError } from '../journal.ts';

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html): the low byte of an extended code. */
const RESULT_CODES = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
} as const;

function primaryCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;
}

/** Codes for failures of SQLite and of the file system. The journal itself reports the others. */
type FailureCode = Exclude<JournalError['code'], 'closed' | 'missing' | 'unreachable' | 'lost'>;

function codeOf(cause: unknown): FailureCode {
  switch (primaryCode(cause)) {
    case RESULT_CODES.busy:
    case RESULT_CODES.locked:
      return 'locked';
    case RESULT_CODES.readOnly:
    case RESULT_CODES.cannotOpen:
      return 'readOnly';
    case RESULT_CODES.full:
      return 'full';
    default:
  }
  switch (errorCode(cause)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'readOnly';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'full';
    default:
      return 'io';
  }
}

/** The database file is readable, and its content is invalid. */
export class DamageError extends JournalError {
  constructor(message: string) {
    super('damaged', message);
  }
}

/** Whether the error reports a damaged database file, rather than one that cannot be read or written. */
export function isDamage(cause: unknown): boolean {
  if (cause instanceof DamageError) return true;
  const code = primaryCode(cause instanceof JournalError ? cause.cause : cause);
  return code === RESULT_CODES.corrupt || code === RESULT_CODES.notDatabase;
}

/** The finding of a check by SQLite in one line, without its heading. */
export const faultLine = (found: string): string =>
  found.replace(/^\*+ in database main \*+\s*/, '').replaceAll(/\s*\n\s*/g, ' ');

/** Whether SQLite refused a call because of a lock, of this process or of another. */
export function isLocked(cause: unknown): boolean {
  const code = primaryCode(cause);
  return code === RESULT_CODES.busy || code === RESULT_CODES.locked;
}

/** Whether SQLite or the file system reports a full disk. */
export const isDiskFull = (cause: unknown): boolean => codeOf(cause) === 'full';

/** Wraps an error of SQLite or of the file system in a `JournalError`. Returns a `JournalError` as it is. */
export function toJournalError(cause: unknown, path: string): JournalError {
  if (cause instanceof JournalError) return cause;
  const code = codeOf(cause);
  const detail = errorText(cause);
  const messages = {
    locked: `${path} is in use by another host, or for now by a backup or a check: stop that one, or give this one another data folder`,
    newer: `${path} was written by a newer host`,
    readOnly: `${path} cannot be written (${detail}): check its permissions, or choose another data folder`,
    full: `no room to write ${path}: free some disk space`,
    damaged: `${path} is damaged: ${detail}`,
    io: `${path} cannot be read or written: ${detail}`,
  } satisfies Record<FailureCode, string>;
  return new JournalError(code, messages[code], { cause });
}

/** Rolls back a failed transaction, unless SQLite has done so itself (as it does on a full disk). */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}

/**
 * The error that a call of an open journal rejects with. For damage, it creates the file `suspect`, so that the next start checks the
 * database, and calls `onDamage` the first time.
 */
export function failureOf(
  error: unknown,
  files: { database: string; suspect: string },
  onDamage?: (failure: JournalError) => void,
): JournalError {
  if (!isDamage(error)) return toJournalError(error, files.database);
  const detail = errorText(error);
  const failure =
    error instanceof DamageError
      ? error
      : new DamageError(
          `${files.database} is damaged (${detail}): start the host again, and it sets the file aside`,
        );
  if (existsSync(files.suspect)) return failure;
  try {
    writeFileSync(files.suspect, '', { mode: 0o600 });
  } catch (cause) {
    return toJournalError(cause, files.suspect);
  }
  onDamage?.(failure);
  return failure;
}
