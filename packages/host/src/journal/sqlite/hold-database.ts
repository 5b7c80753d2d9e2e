import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../journal.ts';
import { toJournalError } from './errors.ts';
import { type JournalFiles, refuseInterrupted } from './open-database.ts';

/**
 * Opens the database of a folder that no host uses, and locks it as a host does. The database keeps its version. The caller closes it. Throws
 * `JournalError`: 'locked' while a host uses the folder, 'missing' without a database or after an interrupted restore.
 */
export function holdDatabase({ database: path, folder }: JournalFiles): DatabaseSync {
  if (!existsSync(path)) {
    refuseInterrupted(folder);
    throw new JournalError('missing', `${folder} has no database`);
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    // Under the lock, so that a host is noticed before.
    refuseInterrupted(folder);
    return database;
  } catch (error) {
    database?.close();
    throw toJournalError(error, path);
  }
}

/** Whether a host uses the folder now. A database that cannot be opened for another reason is in nobody's use. */
export function isInUse(files: JournalFiles): boolean {
  try {
    holdDatabase(files).close();
    return false;
  } catch (error) {
    return error instanceof JournalError && error.code === 'locked';
  }
}
