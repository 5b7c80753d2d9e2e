import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errorCode, errorText, hasCode } from '@agenthost/protocol/values';
import { create } from 'tar';
import { BackupError } from '../../backup-error.ts';
import { checkDatabase } from '../check-database.ts';
import { readSeqAt, sentText } from '../number-files.ts';
import { journalFiles } from '../open-database.ts';
import { CORE_FILES, FOLDERS, MANIFEST, OTHER_FILES } from './contents.ts';
import { copyTree } from './copy-tree.ts';
import { manifestText } from './manifest.ts';
import { recordUnfinished, removeStaging } from './staging.ts';

/** Fast: most of a database is compressed already. */
const GZIP_LEVEL = 3;

/**
 * Free space that a backup leaves on the disk of the data folder. A running host writes up to 64 MiB into the log of the database before it reuses
 * that space, and refuses changes on a full disk.
 */
const MARGIN_BYTES = 100 * 1024 * 1024;

/** The data folder, and the file of the backup. */
export interface BackupRequest {
  readonly dataDir: string;
  /** Absolute path of the new file. */
  readonly file: string;
  /** Whether an existing file is replaced. */
  readonly force: boolean;
  /** Version of this agenthost. */
  readonly version: string;
  /** ms since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Writes a consistent copy of the database. */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** Returns the free bytes on the disk of a folder. Replaced in tests. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** A backup that was written. Sizes in bytes. */
export interface WrittenBackup {
  readonly file: string;
  readonly bytes: number;
  readonly databaseBytes: number;
}

/**
 * Writes a backup of a data folder: a gzip-compressed tar of mode 0600. The file has its name only when all of it is on disk. The caller makes sure that
 * nobody else backs up this folder. Rejects with `BackupError`, `JournalError` of the copy, or the signal's reason.
 */
export async function writeBackup(request: BackupRequest): Promise<WrittenBackup> {
  const { dataDir, signal } = request;
  const folder = await checkTarget(request);
  const file = join(folder, basename(request.file));
  const temporary = join(folder, `.${basename(request.file)}.${randomBytes(4).toString('hex')}`);
  let staging: string | undefined;
  try {
    await removeStaging(dataDir, 'backup');
    staging = await mkdtemp(join(dataDir, 'backup-'));
    await recordUnfinished(staging, temporary);
    const databaseBytes = await stage(request, staging);
    // The archive is hardly smaller than the files: most of the database is compressed already.
    if ((await stat(folder)).dev === (await stat(dataDir)).dev)
      await checkRoom(request, await sizeOf(staging));
    const present = new Set(await readdir(staging));
    // The description comes first, so that a reader can check it at once.
    const names = [MANIFEST, ...CORE_FILES, ...OTHER_FILES, ...FOLDERS].filter((name) => present.has(name));
    await pipeline(
      create({ cwd: staging, portable: true, strict: true }, names),
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
      { signal },
    );
    const { size } = await stat(temporary);
    await publish(temporary, file, request.force);
    return { file, bytes: size, databaseBytes };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, request.file, temporary);
  } finally {
    await rm(temporary, { force: true });
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
  }
}

/** The real folder of the new file. Rejects if the file cannot be written there. */
async function checkTarget({ file, dataDir, force }: BackupRequest): Promise<string> {
  const refuse = (problem: string): never => {
    throw new BackupError('target', `${file}: ${problem}`);
  };
  if (!isAbsolute(file) || file.includes('\0')) refuse('expected an absolute path');
  let folder = dirname(file);
  try {
    folder = await realpath(folder);
  } catch (error) {
    refuse(`the folder does not exist (${errorCode(error) ?? errorText(error)})`);
  }
  const inside = relative(await realpath(dataDir), folder);
  if (inside === '' || !(inside.startsWith('..') || isAbsolute(inside)))
    refuse('a backup belongs outside of the data folder');
  const found = await lstat(join(folder, basename(file))).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw failureOf(error, file);
  });
  if (found?.isDirectory() === true) refuse('this is a folder');
  if (found !== undefined && !force) refuse('the file exists; add --force to replace it');
  return folder;
}

/** Collects the files of the backup. Resolves with the size of the database. */
async function stage(request: BackupRequest, staging: string): Promise<number> {
  const { dataDir, signal } = request;
  const copy = join(staging, 'journal.db');
  const { database } = journalFiles(dataDir);
  const parts = await Promise.all([sizeOfFile(database), sizeOfFile(`${database}-wal`)]);
  await checkRoom(request, parts[0] + parts[1]);
  await request.copyTo(copy, signal);
  await chmod(copy, 0o600);
  const check = await checkDatabase(copy);
  if (check.unreadable !== undefined) throw new Error(`${copy} cannot be read: ${check.unreadable}`);
  if (check.fault !== undefined)
    throw new BackupError(
      'damaged',
      `the database is damaged (${check.fault}), and no backup was written: \`agenthost doctor\` says what to do`,
    );
  // Read after the copy: the host reserves a number before it uses it.
  const seq = Math.max(readSeqAt(journalFiles(dataDir).seq), check.reservedSeq, check.lastSeq);
  await writeFile(join(staging, 'seq'), `${seq}\n`, { mode: 0o600 });
  await writeFile(join(staging, 'sent'), sentText(check.lastSeq), { mode: 0o600 });
  for (const name of OTHER_FILES) await copyIfPresent(join(dataDir, name), join(staging, name));
  for (const name of FOLDERS)
    await copyTree(join(dataDir, name), join(staging, name), { signal, fixed: name === 'plugins' });
  const files: Record<string, number> = {};
  for (const name of [...CORE_FILES, ...OTHER_FILES]) {
    const found = await stat(join(staging, name)).catch(() => undefined);
    if (found !== undefined) files[name] = found.size;
  }
  const manifest = manifestText({
    createdAt: new Date(request.now).toISOString(),
    agenthost: request.version,
    schema: check.version,
    files,
  });
  await writeFile(join(staging, MANIFEST), manifest, { mode: 0o600 });
  return files['journal.db'] ?? 0;
}

/** Rejects with `BackupError` 'full' if this number of further bytes would leave too little free space in the data folder. */
async function checkRoom(
  { dataDir, file, freeBytes = freeBytesOf }: BackupRequest,
  bytes: number,
): Promise<void> {
  const free = await freeBytes(dataDir);
  if (bytes + MARGIN_BYTES <= free) return;
  const mebibytes = (count: number): string => `${Math.ceil(count / (1024 * 1024))} MiB`;
  throw new BackupError(
    'full',
    `no room for the backup ${file}: ${dataDir} has ${mebibytes(free)} free, and needs ${mebibytes(bytes)} and ${mebibytes(MARGIN_BYTES)} for the host: free some disk space`,
  );
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Size of all files of a folder. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += await sizeOfFile(join(entry.parentPath, entry.name));
  return bytes;
}

/** 0 for a file that does not exist. */
async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    await chmod(to, 0o600);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Gives the file its name. A file that appeared meanwhile stays, unless it may be replaced. */
async function publish(temporary: string, file: string, force: boolean): Promise<void> {
  if (force) return rename(temporary, file);
  try {
    await link(temporary, file);
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new BackupError('target', `${file}: the file exists; add --force to replace it`, {
        cause: error,
      });
    // A file system without hard links.
    if (!hasCode(error, 'EPERM') && !hasCode(error, 'ENOTSUP')) throw error;
    await rename(temporary, file);
  }
}

/** `temporary`: the archive before it gets its name. */
function failureOf(error: unknown, file: string, temporary?: string): unknown {
  const code = errorCode(error);
  // A folder such as /proc refuses new files with ENOENT.
  const isTarget = error instanceof Error && 'path' in error && error.path === temporary;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BackupError('full', `no room for the backup ${file}: free some disk space`, { cause: error });
  if (
    (code !== undefined && isTarget) ||
    code === 'EACCES' ||
    code === 'EPERM' ||
    code === 'EROFS' ||
    code === 'ENOTDIR' ||
    code === 'ENAMETOOLONG'
  )
    return new BackupError('target', `${file} cannot be written (${code})`, { cause: error });
  return error;
}
