import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorText } from '@agenthost/protocol/values';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import { JournalError } from '../journal.ts';

/** The file in a data folder that is locked, and has the name of the cell. */
const FILE = 'cell.db';

/** The primary result code of SQLite for a lock that another process has (https://www.sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

/**
 * A data folder that one host in PostgreSQL uses. Terminals, worktrees and recorded files in it belong to one cell. The lock ends with the process, also when
 * that is killed.
 */
export class FolderOfCell {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Locks the folder, which is created if needed. Throws `JournalError` 'locked' when another host uses it, or when it belongs to another cell. */
  static take(folder: string, cell: string): FolderOfCell {
    ensureFolder(folder);
    const path = join(folder, FILE);
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      database.exec('CREATE TABLE IF NOT EXISTS cell (name TEXT NOT NULL)');
      const owner = database.prepare('SELECT name FROM cell').get()?.['name'];
      if (owner === undefined) database.prepare('INSERT INTO cell VALUES (?)').run(cell);
      else if (owner !== cell) {
        throw new JournalError(
          'locked',
          `the data folder ${folder} belongs to cell ${String(owner)}, not to ${cell}: choose another folder with --data, or the cell ${String(owner)}`,
        );
      }
      database.exec('COMMIT');
      return new FolderOfCell(database);
    } catch (error) {
      database.close();
      if (error instanceof JournalError) throw error;
      const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
      if (code !== SQLITE_BUSY)
        throw new JournalError('io', `${path} cannot be used: ${errorText(error)}`, { cause: error });
      throw new JournalError(
        'locked',
        `the data folder ${folder} is in use by another host: give each host its own folder with --data`,
        { cause: error },
      );
    }
  }

  /** Gives the folder back. A second call does nothing. */
  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
