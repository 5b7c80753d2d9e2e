import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { errorCode, errorText } from '@agenthost/protocol/values';
import { ensureFolder } from '../../../lib/ensure-folder.ts';
import { BackupError } from '../../backup-error.ts';
import { cellOf } from '../../postgres/folder-of-cell.ts';
import { checkDatabase } from '../check-database.ts';
import { isDiskFull } from '../errors.ts';
import { isInUse } from '../hold-database.ts';
import { migrations } from '../migrations.ts';
import { readSeqAt, SeqFile, sentText } from '../number-files.ts';
import { fileStamp, journalFiles, restoreMark } from '../open-database.ts';
import { exchange, presentNames, type Rename, undoInterrupted } from './exchange.ts';
import { type BackupContent, extractBackup, inspectBackup } from './read-backup.ts';
import { holdRestoreLock, removeStaging, syncTree } from './staging.ts';

/** More envelopes than a host can commit in a millisecond. */
const MOST_PER_MS = 100;

/** The backup, and the folder to restore into. */
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
  /** The folder with the former data. Absent: there was none. */
  readonly setAside?: string;
}

/**
 * Restores a backup into a data folder that no host uses. Checks all of the backup first. The present data is moved into a folder beside it, and never
 * deleted. The next host starts above every number that any host with this data can have given out since the backup [CONN-4], so that clients that saw
 * newer data get snapshots. If a step fails, the folder stays as it was. If the process is killed while it moves files, hosts refuse the folder until a
 * restore is repeated. Rejects with `BackupError`. `rename` is replaced in tests.
 */
export async function restoreBackup(request: RestoreRequest, rename?: Rename): Promise<RestoredBackup> {
  const dataDir = resolve(request.dataDir);
  refuseInUse(dataDir);
  const content = await checkedContent(request.file);
  ensureFolder(dataDir);
  try {
    const lock = holdRestoreLock(dataDir);
    if (lock === undefined) throw new BackupError('inUse', `another restore into ${dataDir} is running`);
    try {
      undoInterrupted(dataDir, rename);
      await removeStaging(dataDir, 'restore');
      return await restoreAlone({ ...request, dataDir }, content, rename);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw failureOf(error, dataDir);
  }
}

async function restoreAlone(
  { file, dataDir, now }: RestoreRequest,
  { manifest, bytes }: BackupContent,
  rename: Rename | undefined,
): Promise<RestoredBackup> {
  const files = journalFiles(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  if (bytes > bavail * bsize)
    throw new BackupError('full', `the backup needs ${bytes} bytes in ${dataDir}: free some disk space`);
  const staging = await mkdtemp(join(dataDir, 'restore-'));
  try {
    await extractBackup(file, staging);
    const { fault, unreadable, lastSeq, reservedSeq } = await checkDatabase(join(staging, 'journal.db'));
    if (unreadable !== undefined)
      throw new BackupError('target', `${dataDir}: the new database cannot be read (${unreadable})`);
    if (fault !== undefined)
      throw new BackupError('invalid', `${file}: the database in it is damaged: ${fault}`);
    await syncTree(staging);
    const backedUp = Math.max(readSeqAt(join(staging, 'seq')), lastSeq, reservedSeq);
    const elapsedMs = Math.max(0, now - Date.parse(manifest.createdAt));
    const present = Math.max(readSeqAt(files.seq), readSeqAt(files.sent));
    const seq = Math.max(present, now, backedUp + MOST_PER_MS * elapsedMs);
    const sent = Math.max(readSeqAt(files.sent), readSeqAt(join(staging, 'sent')));
    const isSetAside = presentNames(dataDir).length > 0;
    const aside = await newFolder(join(dataDir, `before-restore-${fileStamp(now)}`));
    for (const name of ['seq', 'sent'] as const) await keepNumber(files[name], join(aside, name), name);
    const places = { staging: basename(staging), aside: basename(aside), added: presentNames(staging) };
    exchange(dataDir, places, {
      rename,
      begin: () => {
        // The mark keeps hosts from starting: one that has started before holds the lock.
        refuseInUse(dataDir);
        // Before anything is moved: no host may begin at 0.
        new SeqFile(files.seq).write(seq);
      },
      last: () => writeFileSync(files.sent, sentText(sent), { mode: 0o600, flush: true }),
    });
    if (!isSetAside) await rm(aside, { recursive: true, force: true });
    const { createdAt, agenthost } = manifest;
    return { createdAt, agenthost, ...(isSetAside ? { setAside: aside } : {}) };
  } finally {
    // An exchange that could not be undone needs its files.
    if (!existsSync(restoreMark(dataDir))) await rm(staging, { recursive: true, force: true });
  }
}

function failureOf(cause: unknown, dataDir: string): unknown {
  const code = errorCode(cause);
  if (cause instanceof BackupError || code === undefined) return cause;
  const why = errorText(cause);
  const kind = isDiskFull(cause) ? 'full' : 'target';
  if (existsSync(restoreMark(dataDir)))
    return new BackupError(
      kind,
      `the restore into ${dataDir} was interrupted (${why}): repeat it; until then no host can start with this folder`,
      { cause },
    );
  const hint = kind === 'full' ? ': free some disk space' : '';
  return new BackupError(kind, `${dataDir} cannot be written (${why}), and its data stays as it was${hint}`, {
    cause,
  });
}

/** The content of a backup that this agenthost can restore. */
async function checkedContent(file: string): Promise<BackupContent> {
  const content = await inspectBackup(file);
  const { schema, agenthost } = content.manifest;
  if (schema > migrations.length)
    throw new BackupError(
      'newer',
      `${file} has a database of version ${schema}, by agenthost ${agenthost}, and this agenthost knows versions up to ${migrations.length}: ` +
        'install a newer agenthost',
    );
  return content;
}

function refuseInUse(dataDir: string): void {
  const cell = cellOf(dataDir);
  if (cell?.name !== undefined)
    throw new BackupError(
      'target',
      `the data folder ${dataDir} belongs to cell ${cell.name} of a database, which has its sessions: restore into another folder with --data`,
    );
  if (isInUse(journalFiles(dataDir)) || cell?.isInUse === true)
    throw new BackupError(
      'inUse',
      `a host uses ${dataDir}: stop the host first, or restore into another folder with --data`,
    );
}

/** Copies a number that a restore raises, for users who move the former data back. */
async function keepNumber(from: string, to: string, name: 'seq' | 'sent'): Promise<void> {
  const seq = readSeqAt(from);
  if (seq > 0) await writeFile(to, name === 'seq' ? `${seq}\n` : sentText(seq), { mode: 0o600 });
}

/** A new folder with this name, or with this name and a number. */
async function newFolder(path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? path : `${path}-${count}`;
    if (existsSync(name)) continue;
    await mkdir(name, { mode: 0o700 });
    return name;
  }
}
