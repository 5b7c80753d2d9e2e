import { rmSync } from 'node:fs';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '@agenthost/protocol/values';
import { isLocked } from '../errors.ts';
import { syncFolder } from '../number-files.ts';

/** Folders in which a killed process was collecting a backup, or extracting one. */
const STAGING = { backup: /^backup-[A-Za-z0-9]{6}$/, restore: /^restore-[A-Za-z0-9]{6}$/ } as const;

/** The file in a staging folder with the path of the archive that is being written. No backup has it. */
const UNFINISHED = 'unfinished';

/** The name of an archive before it is complete, such as `.b.tar.gz.01ab23cd`. */
const UNFINISHED_NAME = /^\..+\.[0-9a-f]{8}$/;

/** Records the path of an archive before it is created, so that `removeStaging` deletes the archive after a kill. */
export const recordUnfinished = (staging: string, archive: string): Promise<void> =>
  writeFile(join(staging, UNFINISHED), archive, { mode: 0o600, flush: true });

/**
 * Removes what killed processes left in a data folder, and the unfinished archives that they left elsewhere. The caller makes sure that no process
 * writes a backup there, or restores one.
 */
export async function removeStaging(dataDir: string, kind: keyof typeof STAGING): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!STAGING[kind].test(name)) continue;
    const staging = join(dataDir, name);
    if (kind === 'backup') await removeUnfinished(join(staging, UNFINISHED));
    await rm(staging, { recursive: true, force: true });
  }
}

async function removeUnfinished(record: string): Promise<void> {
  try {
    const archive = await readFile(record, 'utf8');
    if (isAbsolute(archive) && UNFINISHED_NAME.test(basename(archive))) await rm(archive, { force: true });
  } catch (error) {
    // There is no record, or the folder of the archive is read-only by now: that must not prevent further backups.
    if (errorCode(error) === undefined) throw error;
  }
}

/** Removes these files at the start of a host, which holds the lock of the folder. Keeps the files of a running restore. */
export async function removeLeftStaging(dataDir: string): Promise<void> {
  const names = await readdir(dataDir);
  if (names.some((name) => STAGING.backup.test(name))) await removeStaging(dataDir, 'backup');
  if (!names.some((name) => STAGING.restore.test(name))) return;
  const lock = holdRestoreLock(dataDir);
  try {
    if (lock !== undefined) await removeStaging(dataDir, 'restore');
  } finally {
    lock?.release();
  }
}

/** Locks a data folder for a restore; `undefined` while another process has the lock. The lock ends with the process. */
export function holdRestoreLock(dataDir: string): { release(): void } | undefined {
  const path = join(dataDir, 'restore.lock');
  // An empty database: Node has no other locks of files.
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isLocked(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      rmSync(path, { force: true });
      database.close();
    },
  };
}

/** Files that are synced at the same time. */
const AT_ONCE = 16;

/** Writes all files of a folder to the disk, so that a power loss leaves none of them empty. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  while (files.length > 0)
    await Promise.all(files.splice(0, AT_ONCE).map(({ name }) => syncFile(join(folder, name))));
  for (const entry of entries) if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
