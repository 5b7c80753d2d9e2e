import { existsSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ensureFolder } from '../../../lib/ensure-folder.ts';
import { BackupError } from '../../backup-error.ts';
import { cellOf } from '../../postgres/folder-of-cell.ts';
import { checkDatabase } from '../check-database.ts';
import { isInUse } from '../hold-database.ts';
import { migrations } from '../migrations.ts';
import { readSeqAt, SeqFile, sentText } from '../number-files.ts';
import { fileStamp, journalFiles } from '../open-database.ts';
import { CORE_FILES, FOLDERS, OTHER_FILES } from './contents.ts';
import { extractBackup, inspectBackup } from './read-backup.ts';

/** More envelopes than a host can commit in a millisecond. */
const MOST_PER_MS = 100;

/** Where from and where to. */
export interface RestoreRequest {
  readonly file: string;
  /** Created when missing. */
  readonly dataDir: string;
  /** ms since the epoch. */
  readonly now: number;
}

/** A backup that was restored. */
export interface RestoredBackup {
  /** ISO 8601: when the backup was made. */
  readonly createdAt: string;
  /** Version of the agenthost that made it. */
  readonly agenthost: string;
  /** Where the data that was in the folder is now. Absent: there was none. */
  readonly setAside?: string;
}

/**
 * Restores a backup into a data folder that no host uses. Checks all of the backup first. The present data is moved into a folder beside it, and never
 * deleted. The next host starts above every number that any host with this data can have given out since the backup [CONN-4], so that clients that saw
 * newer data get snapshots. Rejects with `BackupError`.
 */
export async function restoreBackup({ file, dataDir: given, now }: RestoreRequest): Promise<RestoredBackup> {
  const dataDir = resolve(given);
  const files = journalFiles(dataDir);
  refuseInUse(dataDir);
  const { manifest, bytes } = await inspectBackup(file);
  if (manifest.schema > migrations.length)
    throw new BackupError(
      'newer',
      `${file} has a database of version ${manifest.schema}, by agenthost ${manifest.agenthost}, and this agenthost knows versions up to ${migrations.length}: ` +
        'install a newer agenthost',
    );
  ensureFolder(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  if (bytes > bavail * bsize)
    throw new BackupError('full', `the backup needs ${bytes} bytes in ${dataDir}: free some disk space`);
  const staging = await mkdtemp(join(dataDir, 'restore-'));
  try {
    await extractBackup(file, staging);
    const { fault, lastSeq, reservedSeq } = await checkDatabase(join(staging, 'journal.db'));
    if (fault !== undefined)
      throw new BackupError('invalid', `${file}: the database in it is damaged: ${fault}`);
    const backedUp = Math.max(readSeqAt(join(staging, 'seq')), lastSeq, reservedSeq);
    const elapsedMs = Math.max(0, now - Date.parse(manifest.createdAt));
    const present = Math.max(readSeqAt(files.seq), readSeqAt(files.sent));
    const seq = Math.max(present, now, backedUp + MOST_PER_MS * elapsedMs);
    const sent = Math.max(readSeqAt(files.sent), readSeqAt(join(staging, 'sent')));
    refuseInUse(dataDir);
    const setAside = await moveAside(dataDir, now);
    // The numbers come first: a host that starts after a kill here must not begin at 0.
    new SeqFile(files.seq).write(seq);
    await writeFile(files.sent, sentText(sent), { mode: 0o600 });
    for (const name of [...OTHER_FILES, ...FOLDERS, 'journal.db'])
      if (existsSync(join(staging, name))) renameSync(join(staging, name), join(dataDir, name));
    const { createdAt, agenthost } = manifest;
    return { createdAt, agenthost, ...(setAside === undefined ? {} : { setAside }) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function refuseInUse(dataDir: string): void {
  if (isInUse(journalFiles(dataDir)) || cellOf(dataDir)?.isInUse === true)
    throw new BackupError(
      'inUse',
      `a host uses ${dataDir}: stop the host first, or restore into another folder with --data`,
    );
}

/** Moves what a backup replaces into a folder of its own. The numbers stay as they are until they are raised. */
async function moveAside(dataDir: string, now: number): Promise<string | undefined> {
  const database = ['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.db.suspect'];
  const names = [...database, ...OTHER_FILES, ...FOLDERS].filter((name) => existsSync(join(dataDir, name)));
  if (names.length === 0) return undefined;
  const aside = await newFolder(join(dataDir, `before-restore-${fileStamp(now)}`));
  for (const name of CORE_FILES) {
    const seq = name === 'journal.db' ? 0 : readSeqAt(join(dataDir, name));
    if (seq > 0)
      await writeFile(join(aside, name), name === 'seq' ? `${seq}\n` : sentText(seq), { mode: 0o600 });
  }
  for (const name of names) renameSync(join(dataDir, name), join(aside, name));
  return aside;
}

/** A folder that did not exist, of this name or with a number behind it. */
async function newFolder(path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? path : `${path}-${count}`;
    if (existsSync(name)) continue;
    await mkdir(name, { mode: 0o700 });
    return name;
  }
}
