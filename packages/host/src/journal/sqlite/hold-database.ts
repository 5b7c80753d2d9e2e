import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../journal.ts';
import { toJournalError } from './errors.ts';
import type { JournalFiles } from './open-database.ts';

/**
 * Opens the database of a folder that no host uses, and locks it as a host does. The database keeps its version. The caller closes it. Throws
 * `JournalError`: 'locked' while a host uses the folder, 'missing' without a database.
 */
export function holdDatabase({ database: path, folder }: JournalFiles): DatabaseSync {
  if (!existsSync(path)) throw new JournalError('missing', `${folder} has no database`);
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return database;
  } catch (error) {
    database.close();
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
