import type { BackupTools } from '../features/backup/feature.ts';

/** Loaded when first used: few hosts are backed up each day. */
export const backupTools: BackupTools = {
  write: async (request) => {
    const { writeBackup } = await import('../journal/sqlite/backup/write-backup.ts');
    return writeBackup(request);
  },
  check: async (file) => {
    const { checkDatabase } = await import('../journal/sqlite/check-database.ts');
    return checkDatabase(file);
  },
};
