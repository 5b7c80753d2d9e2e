import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorText } from '@agenthost/protocol/values';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import { JournalError } from '../journal.ts';

/** The file in a data folder that a host of a cell locks. It has the name of the cell. */
const FILE = 'cell.db';
/** The file that is locked by a host with its sessions in the folder. */
const JOURNAL_FILE = 'journal.db';

/** The primary result code of SQLite for a lock of another process (https://www.sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

/** The cell that a data folder belongs to. */
export interface CellOfFolder {
  /** Absent while a host uses the folder. */
  readonly name?: string;
  readonly isInUse: boolean;
}

const inUse = (folder: string, cause?: unknown): JournalError =>
  new JournalError(
    'locked',
    `the data folder ${folder} is in use by another host: give each host its own folder with --data`,
    { cause },
  );

/** The cell of a data folder, whose sessions are in PostgreSQL. `undefined` for other folders. */
export function cellOf(folder: string): CellOfFolder | undefined {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    const name = database.prepare('SELECT name FROM cell').get()?.['name'];
    return typeof name === 'string' ? { name, isInUse: false } : undefined;
  } catch (error) {
    // A host that was killed at its first start leaves a file without a table.
    return isBusy(error) ? { isInUse: true } : undefined;
  } finally {
    database.close();
  }
}

/**
 * For a host that keeps its sessions in the folder: throws `JournalError` 'locked' if the folder belongs to a cell, or while a host in PostgreSQL uses it.
 */
export function refuseCell(folder: string): void {
  const cell = cellOf(folder);
  if (cell === undefined) return;
  if (cell.name === undefined) throw inUse(folder);
  // From before the folder had a cell.
  const hasSessions = existsSync(join(folder, JOURNAL_FILE));
  const others = hasSessions ? `. To use the sessions in ${JOURNAL_FILE} instead, delete ${FILE}` : '';
  throw new JournalError(
    'locked',
    `the data folder ${folder} belongs to cell ${cell.name} of a database: start its host with --journal, or choose another folder with --data${others}`,
  );
}

/**
 * A data folder that one host in PostgreSQL uses. Terminals, worktrees and recorded files in it belong to one cell. The lock ends with the process, also when
 * the process is killed.
 */
export class FolderOfCell {
  readonly #database: DatabaseSync;
  readonly #cell: string;
  /** Random and permanent: tells the machines of a cell apart, each of which has its own folder. */
  readonly id: string;

  private constructor(database: DatabaseSync, cell: string, id: string) {
    this.#database = database;
    this.#cell = cell;
    this.id = id;
  }

  /**
   * Locks the folder, which is created if needed. It does not belong to the cell before `claim`. Throws `JournalError` 'locked' when another host uses it,
   * or when it belongs to another cell.
   */
  static take(folder: string, cell: string): FolderOfCell {
    ensureFolder(folder);
    const path = join(folder, FILE);
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      database.exec('CREATE TABLE IF NOT EXISTS cell (name TEXT NOT NULL, folder TEXT NOT NULL)');
      const { name: owner, folder: id = randomUUID() } =
        database.prepare('SELECT name, folder FROM cell').get() ?? {};
      if (owner !== undefined && owner !== cell) {
        throw new JournalError(
          'locked',
          `the data folder ${folder} belongs to cell ${String(owner)}, not to ${cell}: choose another folder with --data, or the cell ${String(owner)}`,
        );
      }
      // A host that keeps its sessions in the folder locks that file instead. Each kind of host takes its own lock first, and then checks the other one.
      if (isLocked(join(folder, JOURNAL_FILE))) throw inUse(folder);
      database.exec('COMMIT');
      return new FolderOfCell(database, cell, String(id));
    } catch (error) {
      database.close();
      if (error instanceof JournalError) throw error;
      if (isBusy(error)) throw inUse(folder, error);
      throw new JournalError('io', `${path} cannot be used: ${errorText(error)}`, { cause: error });
    }
  }

  /**
   * Records that the folder belongs to the cell. Called when the host has taken the cell, so that a wrong URL or a standby that only waited does not
   * bind the folder. Throws `JournalError`.
   */
  claim(): void {
    try {
      const isNew = this.#database.prepare('SELECT name FROM cell').get() === undefined;
      if (isNew) this.#database.prepare('INSERT INTO cell VALUES (?, ?)').run(this.#cell, this.id);
    } catch (error) {
      const path = this.#database.location() ?? FILE;
      throw new JournalError('io', `${path} cannot be written: ${errorText(error)}`, { cause: error });
    }
  }

  /** Unlocks the folder. A second call does nothing. */
  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;

/** Whether another process has locked this database. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return false;
  } catch (error) {
    // No process uses a damaged database.
    return isBusy(error);
  } finally {
    database.close();
  }
}
