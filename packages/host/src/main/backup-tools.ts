import type { BackupRequest, WrittenBackup } from '../journal/sqlite/backup/write-backup.ts';
import type { DatabaseCheck } from '../journal/sqlite/check-database.ts';

/** Writes backups, and checks copies of databases. Loaded when first used: few hosts are backed up each day. */
export const backupTools = {
  write: async (request: BackupRequest): Promise<WrittenBackup> => {
    const { writeBackup } = await import('../journal/sqlite/backup/write-backup.ts');
    return writeBackup(request);
  },
  check: async (file: string): Promise<DatabaseCheck> => {
    const { checkDatabase } = await import('../journal/sqlite/check-database.ts');
    return checkDatabase(file);
  },
};
