import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
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
import { DamageError, faultLine, isDamage, toJournalError } from './errors.ts';
import { type Migration, migrate, readVersion, refuseNewer } from './migrations.ts';
import { Statements, text } from './statements.ts';
import { exposeWords } from './word-index.ts';

/** Above this size, a start after a power loss skips the check, which reads the whole file. */
const CHECK_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Pages of the write-ahead log at which SQLite copies it into the database (64 MiB). Each checkpoint waits twice for the disk and blocks
 * the host for tens of milliseconds. With SQLite's default of 1,000 pages, checkpoints took two thirds of the time of a fast stream.
 */
const LOG_PAGES = 16_384;
const PAGE_BYTES = 4_096;

/** Paths of a journal's files. */
export interface JournalFiles {
  readonly folder: string;
  readonly database: string;
  /** See `SeqFile`. */
  readonly seq: string;
  /** See `SentFile`. */
  readonly sent: string;
  /** This file exists after a call met damage. The next start then checks the whole database. */
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

/** This file exists while a restore exchanges the files of a data folder, and after one that was killed then. */
export const restoreMark = (folder: string): string => join(folder, 'restore.json');

/** Throws `JournalError` 'missing' for a folder whose restore was interrupted: it has files of two states. */
export function refuseInterrupted(folder: string): void {
  if (existsSync(restoreMark(folder)))
    throw new JournalError(
      'missing',
      `a restore into ${folder} was interrupted: repeat \`agenthost backup restore\``,
    );
}

/** An open database, and facts about it. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly isNew: boolean;
  /** Whether the last host did not close the database and the machine was restarted since. */
  readonly isAfterPowerLoss: boolean;
  readonly setAside?: { readonly path: string; readonly reason: string };
}

/** Options of `openAlone`. `bootId` changes with each restart of the machine; `undefined` when unknown. */
export interface OpenDatabaseOptions {
  readonly files: JournalFiles;
  readonly synchronous: 'normal' | 'full';
  readonly migrations: readonly Migration[];
  readonly bootId: string | undefined;
  /** ms since the epoch. */
  readonly now: number;
}

/** Attempts to lock the database, and the longest pause between them in ms. Two hosts that start at the same moment block each other. */
const LOCK_ATTEMPTS = 5;
const LOCK_PAUSE_MS = 50;

/**
 * Opens the database, with a few attempts while another host holds it. Of two hosts that start together one must succeed, and SQLite may
 * refuse both at first. Rejects with `JournalError`.
 */
export async function openAlone(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  for (let attempt = 1; ; attempt++) {
    try {
      return openDatabase(options);
    } catch (error) {
      if (!(error instanceof JournalError && error.code === 'locked') || attempt === LOCK_ATTEMPTS)
        throw error;
    }
    // A random pause, so that one of the two comes first.
    await pause(LOCK_PAUSE_MS * Math.random());
  }
}

/**
 * Opens the database under an exclusive lock and migrates it. Moves a damaged database aside, never deletes it, and creates a new one.
 * Throws `JournalError`.
 */
function openDatabase(options: OpenDatabaseOptions): OpenDatabase {
  const { files } = options;
  try {
    makeFolder(files.folder);
    refuseInterrupted(files.folder);
    refuseFolder(files.database);
    createPrivately(files.database);
    const inode = statSync(files.database).ino;
    try {
      return tryOpen(options);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Another host may have moved the damaged file already. Its new database must stay.
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
    // Node reports ENOENT for other causes too, such as a read-only file system. A plain `mkdir` reports the real cause.
    mkdirSync(path, { mode: 0o700 });
  }
}

/** Checked first: `createPrivately` would change the folder's mode, and SQLite would report an unwritable file. */
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
    // SQLite would open a read-only file, and fail later with an unclear error.
    for (const needed of [path, dirname(path)]) accessSync(needed, constants.W_OK);
    // `chmod` by path: closing a handle on the file would drop this process's locks on it.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  }
}

function tryOpen(options: OpenDatabaseOptions): OpenDatabase {
  const { files } = options;
  const database = new DatabaseSync(files.database);
  try {
    // Before the first read, so that the read takes the lock and the index of the log stays in this process's memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    refuseNewer(database, files.database, options.migrations.length);
    // Again under the lock: a restore marks the folder, and then looks for a lock.
    refuseInterrupted(files.folder);
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

/** Whether the last commits of the last host may be lost. */
function wasCutOff(statements: Statements, bootId: string | undefined): boolean {
  const read = (key: string): string | undefined => {
    const row = statements.get('SELECT value FROM internal WHERE key = ?', key);
    return row && text(row, 'value');
  };
  if (read('endedCleanly') === 'true') return false;
  return bootId === undefined || read('bootId') !== bootId;
}

/**
 * SQLite itself detects a truncated file and a broken schema at open. This checks all pages, only after a power loss, which can tear a
 * page, or after a read met damage.
 */
function check(database: DatabaseSync, files: JournalFiles, isAfterPowerLoss: boolean): void {
  const isSuspect = existsSync(files.suspect);
  const isSmall = statSync(files.database).size <= CHECK_LIMIT_BYTES;
  if (!isSuspect && !(isAfterPowerLoss && isSmall)) return;
  // Only the full check compares indexes with their tables.
  const pragma = isSuspect ? 'integrity_check' : 'quick_check';
  const found = String(database.prepare(`PRAGMA ${pragma}(1)`).get()?.[pragma]);
  if (found !== 'ok') throw new DamageError(`${files.database} is damaged: ${faultLine(found)}`);
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

/** A time as part of a file name. */
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

/**
 * The id of the machine's current boot; `undefined` when the system does not tell. Within one boot the writes of a killed process
 * survive. A power loss may lose the last ones.
 */
export function readBootId(): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
    }
    return undefined;
  } catch {
    // A container may hide the id. An unknown id counts as another boot, which costs snapshots and loses nothing.
    return undefined;
  }
}
