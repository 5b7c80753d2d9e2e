import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHost } from '../../main/create-host.ts';
import { backUpFolder } from '../sqlite/backup/back-up-folder.ts';
import { checkDataFolder } from '../sqlite/backup/check-folder.ts';
import { restoreBackup } from '../sqlite/backup/restore-backup.ts';
import { SqliteJournal } from '../sqlite/sqlite-journal.ts';
import { cellOf, FolderOfCell, refuseCell } from './folder-of-cell.ts';

test('one host at a time uses a data folder, wherever it keeps its sessions', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'agenthost-cell-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const file = join(dataDir, 'backup.tar.gz');
  const request = { dataDir, file, force: false, version: '1', now: 1, signal: new AbortController().signal };
  expect(cellOf(dataDir)).toBeUndefined();

  const folder = FolderOfCell.take(dataDir, 'a');
  expect(cellOf(dataDir)).toEqual({ isInUse: true });
  expect(() => FolderOfCell.take(dataDir, 'a')).toThrow(/in use by another host/);
  expect(() => refuseCell(dataDir)).toThrow(/in use by another host/);
  await expect(backUpFolder(request)).rejects.toMatchObject({ code: 'inUse' });
  await expect(restoreBackup(request)).rejects.toMatchObject({ code: 'inUse' });
  expect(await checkDataFolder(dataDir)).toMatchObject({ isInUse: true });
  folder.release();
  expect(cellOf(dataDir), 'a host that never took its cell does not bind the folder').toBeUndefined();

  const bound = FolderOfCell.take(dataDir, 'a');
  bound.claim();
  bound.release();
  expect(() => FolderOfCell.take(dataDir, 'b')).toThrow(/belongs to cell a, not to b/);
  expect(await checkDataFolder(dataDir)).toMatchObject({ isInUse: false, cell: 'a' });
  await expect(backUpFolder(request)).rejects.toMatchObject({
    code: 'noData',
    message: expect.stringContaining('pg_dump'),
  });

  const host = createHost({ dataDir, agents: [], roots: [dataDir] });
  await expect(host.start()).rejects.toThrow(
    /belongs to cell a of a database: start its host with --journal, or choose another folder with --data$/,
  );
  expect(readdirSync(dataDir)).toEqual(['cell.db']);
  await expect(restoreBackup(request)).rejects.toMatchObject({
    code: 'target',
    message: expect.stringContaining('belongs to cell a of a database'),
  });

  const journal = new SqliteJournal({ folder: dataDir });
  await journal.open();
  expect(() => FolderOfCell.take(dataDir, 'a')).toThrow(/in use by another host/);
  await journal.close();
  expect(() => refuseCell(dataDir)).toThrow(/ To use the sessions in journal\.db instead, delete cell\.db$/);
});
