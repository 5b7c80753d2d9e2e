import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { backUpFolder } from '../sqlite/backup/back-up-folder.ts';
import { checkDataFolder } from '../sqlite/backup/check-folder.ts';
import { restoreBackup } from '../sqlite/backup/restore-backup.ts';
import { SqliteJournal } from '../sqlite/sqlite-journal.ts';
import { cellOf, FolderOfCell, leaveCell } from './folder-of-cell.ts';

test('one host at a time uses a data folder, wherever it keeps its sessions', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'agenthost-cell-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const file = join(dataDir, 'backup.tar.gz');
  const request = { dataDir, file, force: false, version: '1', now: 1, signal: new AbortController().signal };
  expect(cellOf(dataDir)).toBeUndefined();

  const folder = FolderOfCell.take(dataDir, 'a');
  expect(cellOf(dataDir)).toEqual({ isInUse: true });
  expect(() => FolderOfCell.take(dataDir, 'a')).toThrow(/in use by another host/);
  expect(() => leaveCell(dataDir)).toThrow(/in use by another host/);
  await expect(backUpFolder(request)).rejects.toMatchObject({ code: 'inUse' });
  await expect(restoreBackup(request)).rejects.toMatchObject({ code: 'inUse' });
  expect(await checkDataFolder(dataDir)).toMatchObject({ isInUse: true });
  folder.release();

  expect(() => FolderOfCell.take(dataDir, 'b')).toThrow(/belongs to cell a, not to b/);
  expect(await checkDataFolder(dataDir)).toMatchObject({ isInUse: false, cell: 'a' });
  await expect(backUpFolder(request)).rejects.toMatchObject({
    code: 'noData',
    message: expect.stringContaining('pg_dump'),
  });

  const journal = new SqliteJournal({ folder: dataDir });
  await journal.open();
  expect(() => FolderOfCell.take(dataDir, 'a')).toThrow(/in use by another host/);
  leaveCell(dataDir);
  expect(existsSync(join(dataDir, 'cell.db'))).toBe(false);
  await journal.close();
});
