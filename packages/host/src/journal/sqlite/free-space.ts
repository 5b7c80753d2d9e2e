import type { DatabaseSync } from 'node:sqlite';

/** Gives up to so many unused pages back to the file system; false when none is left, and the file has shrunk. */
export function freeSpace(database: DatabaseSync, maxPages: number): boolean {
  const freePages = (): number =>
    Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count ?? 0);
  if (freePages() === 0) return false;
  database.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(maxPages))})`);
  if (freePages() > 0) return true;
  // The file shrinks when its log is written back to it.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return false;
}
