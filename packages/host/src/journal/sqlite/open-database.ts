import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import { JournalError } from '../journal.ts';
import { isReachableSeq } from '../sequence-numbers.ts';
import { DamageError, isDamage, toJournalError } from './errors.ts';
import { type Migration, migrate, readVersion, refuseNewer } from './migrations.ts';
import { Statements, text } from './statements.ts';
import { exposeWords } from './word-index.ts';

/** Above this size a start after a power loss skips the full check, which reads the whole file. */
const checkLimitBytes = 256 * 1024 * 1024;

/**
 * The log is written back when it has so many pages (64 MiB). Each time waits for the disk twice, for tens of milliseconds
 * in which the host does nothing else; SQLite's own 1,000 pages did so for two thirds of the time of a fast stream.
 */
const LOG_PAGES = 16_384;
const PAGE_BYTES = 4_096;

/** Where a journal keeps its files. */
export interface JournalFiles {
  readonly folder: string;
  readonly database: string;
  /** See `SeqFile`. */
  readonly seq: string;
  /** See `SentFile`. */
  readonly sent: string;
  /** Its presence says that a read met damage: the next start checks the whole file. */
  readonly suspect: string;
}

/** The files of a journal in `folder`. */
export function journalFiles(folder: string): JournalFiles {
  const database = join(folder, 'journal.db');
  return {
    folder,
    database,
    seq: join(folder, 'seq'),
    sent: join(folder, 'sent'),
    suspect: `${database}.suspect`,
  };
}

/** An open database and what was found in it. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly isNew: boolean;
  /** The host before this one did not come to close it, and the machine has been restarted since. */
  readonly isAfterPowerLoss: boolean;
  readonly setAside?: { readonly path: string; readonly reason: string };
}

/** Where the database is and how durable its commits are. `bootId` tells restarts of the machine apart; absent where it has none. */
export interface OpenDatabaseOptions {
  readonly files: JournalFiles;
  readonly synchronous: 'normal' | 'full';
  readonly migrations: readonly Migration[];
  readonly bootId: string | undefined;
  /** ms since the epoch. */
  readonly now: number;
}

/** Two hosts that start at the same moment each find the other; how often, and for how long at most in ms, each steps back. */
const LOCK_ATTEMPTS = 5;
const LOCK_PAUSE_MS = 50;

/**
 * `openDatabase`, tried again for a moment when somebody else has it: of two hosts that start together one must get it, and SQLite
 * refuses both where each waits for the other's first look to end. Rejects with `JournalError`.
 */
export async function openAlone(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  for (let attempt = 1; ; attempt++) {
    try {
      return openDatabase(options);
    } catch (error) {
      if (!(error instanceof JournalError && error.code === 'locked') || attempt === LOCK_ATTEMPTS)
        throw error;
    }
    // By chance, so that the two part.
    await pause(LOCK_PAUSE_MS * Math.random());
  }
}

/**
 * Opens the database under an exclusive lock and brings it to the present version. A damaged one is moved aside, never
 * deleted, and a new one begun. Throws `JournalError`.
 */
function openDatabase(options: OpenDatabaseOptions): OpenDatabase {
  const { files } = options;
  try {
    makeFolder(files.folder);
    refuseFolder(files.database);
    createPrivately(files.database);
    const inode = statSync(files.database).ino;
    try {
      return tryOpen(options);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Another host may have done the same a moment ago: what it began must not be moved under it.
      if (statSync(files.database).ino !== inode) return tryOpen(options);
      const setAside = { path: moveAside(files, options.now), reason: errorText(error) };
      createPrivately(files.database);
      return { ...tryOpen(options), setAside };
    }
  } catch (error) {
    throw toJournalError(error, files.database);
  }
}

function makeFolder(path: string): void {
  try {
    ensureFolder(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    // Node says so of whatever stopped it on the way, a read-only file system too; the plain call says what it was.
    mkdirSync(path, { mode: 0o700 });
  }
}

/** SQLite would say that it cannot be written, and its mode be taken from it before. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new JournalError(
    'io',
    `${path} is a folder, and no database: move it away, or choose another data folder`,
  );
}

function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    // SQLite would open a file that cannot be written all the same, and fail later with an error that does not say so.
    for (const needed of [path, dirname(path)]) accessSync(needed, constants.W_OK);
    // Not opened here: closing any handle on a file drops the locks that this process holds on it.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  }
}

function tryOpen(options: OpenDatabaseOptions): OpenDatabase {
  const { files } = options;
  const database = new DatabaseSync(files.database);
  try {
    // Before the first read: the lock is then taken with it, and the index of the log stays in this process's memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    refuseNewer(database, files.database, options.migrations.length);
    const isNew = readVersion(database) === 0;
    if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous}`);
    database.exec(
      `PRAGMA wal_autocheckpoint = ${LOG_PAGES}; PRAGMA journal_size_limit = ${LOG_PAGES * PAGE_BYTES}`,
    );
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    const statements = new Statements(database);
    const isAfterPowerLoss = !isNew && wasCutOff(statements, options.bootId);
    if (!isNew) check(database, files, isAfterPowerLoss);
    migrate(database, options.migrations);
    probe(statements, files.database);
    exposeWords(database);
    rmSync(files.suspect, { force: true });
    return { database, statements, isNew, isAfterPowerLoss };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether the last host was ended by something that may have taken its last commits with it. */
function wasCutOff(statements: Statements, bootId: string | undefined): boolean {
  const read = (key: string): string | undefined => {
    const row = statements.get('SELECT value FROM internal WHERE key = ?', key);
    return row && text(row, 'value');
  };
  if (read('endedCleanly') === 'true') return false;
  return bootId === undefined || read('bootId') !== bootId;
}

/**
 * SQLite itself finds a truncated file and a broken schema when it opens one. A walk through all pages is kept for when there
 * is a reason: a kill cannot tear a page, a power loss can.
 */
function check(database: DatabaseSync, files: JournalFiles, isAfterPowerLoss: boolean): void {
  const isSuspect = existsSync(files.suspect);
  const isSmall = statSync(files.database).size <= checkLimitBytes;
  if (!isSuspect && !(isAfterPowerLoss && isSmall)) return;
  // What a read stumbled over may be an index that does not fit its table, which the quick one does not look at.
  const pragma = isSuspect ? 'integrity_check' : 'quick_check';
  const found = String(database.prepare(`PRAGMA ${pragma}(1)`).get()?.[pragma]);
  if (found !== 'ok') throw new DamageError(`${files.database} is damaged: ${found}`);
}

/** Reads one row of every table and the newest envelope, so that damage at a root page shows at start. */
function probe(statements: Statements, path: string): void {
  const tables = statements.all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  for (const table of tables) statements.get(`SELECT 1 FROM "${text(table, 'name')}" LIMIT 1`);
  const newest = statements.get('SELECT CAST(MAX(seq) AS REAL) AS seq FROM envelopes');
  const seq = newest?.['seq'];
  if (typeof seq === 'number' && !isReachableSeq(seq))
    throw new DamageError(`${path} is damaged: it has an envelope with the number ${seq}`);
  statements.get('SELECT * FROM envelopes ORDER BY seq DESC LIMIT 1');
}

/** A moment as part of a file's name. */
export const fileStamp = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');

function moveAside(files: JournalFiles, now: number): string {
  const stamp = fileStamp(now);
  let target = `${files.database}.damaged-${stamp}`;
  for (let count = 2; existsSync(target); count++) target = `${files.database}.damaged-${stamp}-${count}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(files.database + suffix)) renameSync(files.database + suffix, target + suffix);
  }
  rmSync(files.suspect, { force: true });
  return target;
}
