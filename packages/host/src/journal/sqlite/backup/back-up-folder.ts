import { realpath } from 'node:fs/promises';
import { hasCode } from '@agenthost/protocol/values';
import { BackupError } from '../../backup-error.ts';
import { JournalError } from '../../journal.ts';
import { cellOf } from '../../postgres/folder-of-cell.ts';
import { copyDatabase } from '../copy-database.ts';
import { holdDatabase } from '../hold-database.ts';
import { journalFiles } from '../open-database.ts';
import { type BackupRequest, type WrittenBackup, writeBackup } from './write-backup.ts';

/**
 * Writes a backup of a data folder that no host uses, under the lock of a host. Rejects as `writeBackup`, and with `BackupError` 'inUse' or 'noData'.
 */
export async function backUpFolder(request: Omit<BackupRequest, 'copyTo'>): Promise<WrittenBackup> {
  const dataDir = await realpath(request.dataDir).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) throw new BackupError('noData', `${request.dataDir} does not exist`);
    throw error;
  });
  const cell = cellOf(dataDir);
  if (cell !== undefined)
    throw new BackupError(
      cell.isInUse ? 'inUse' : 'noData',
      `the host with the data folder ${dataDir} keeps its sessions in PostgreSQL: back up that database with pg_dump, and the folder with a copy`,
    );
  let database: ReturnType<typeof holdDatabase>;
  try {
    database = holdDatabase(journalFiles(dataDir));
  } catch (cause) {
    if (!(cause instanceof JournalError)) throw cause;
    const code = cause.code === 'locked' ? 'inUse' : cause.code === 'missing' ? 'noData' : 'damaged';
    throw new BackupError(code, cause.message, { cause });
  }
  try {
    return await writeBackup({
      ...request,
      dataDir,
      copyTo: (file, signal) => copyDatabase(database, file, signal),
    });
  } finally {
    database.close();
  }
}
