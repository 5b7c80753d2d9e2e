import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { backUpFolder } from './backup/back-up-folder.ts';
import { checkDatabase } from './check-database.ts';
import { SqliteJournal } from './sqlite-journal.ts';

let root: string;
let dataDir: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'agenthost-check-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  dataDir = join(root, 'data');
  const journal = new SqliteJournal({ folder: dataDir });
  await journal.open();
  await journal.close();
});

const request = (file = join(root, 'b.tar.gz')) => ({
  dataDir,
  file,
  force: false,
  version: '1.2.3',
  now: Date.now(),
  signal: new AbortController().signal,
});

test('damage, and a place where no file can be created, are told in one line', async () => {
  if (existsSync('/proc/self'))
    await expect(backUpFolder(request('/proc/b.tar.gz'))).rejects.toMatchObject({
      code: 'target',
      message: '/proc/b.tar.gz cannot be written (ENOENT)',
    });
  const path = join(dataDir, 'journal.db');
  writeFileSync(path, readFileSync(path).fill(7, 5 * 4_096, 9 * 4_096));
  const { fault = '' } = await checkDatabase(path);
  expect(fault).toMatch(/^Tree \d+ page \d+: .+$/);
  await expect(backUpFolder(request())).rejects.toMatchObject({
    message: expect.stringContaining(`the database is damaged (${fault})`),
  });
});

test('a database that cannot be opened is not called damaged', async () => {
  const path = join(dataDir, 'journal.db');
  mkdirSync(join(root, 'folder.db'));
  const { fault, unreadable } = await checkDatabase(join(root, 'folder.db'));
  expect([fault, unreadable]).toEqual([undefined, 'unable to open database file']);
  const held = new DatabaseSync(path);
  held.exec('BEGIN EXCLUSIVE');
  expect(await checkDatabase(path)).toMatchObject({ unreadable: 'database is locked' });
  held.close();
  writeFileSync(path, 'no database, but a text that is long enough to be read as one');
  expect(await checkDatabase(path)).toMatchObject({ fault: 'file is not a database' });
  rmSync(path);
  mkdirSync(path);
  await expect(backUpFolder(request()), 'the reason of SQLite is told').rejects.toMatchObject({
    name: 'BackupError',
    code: 'damaged',
    message: expect.stringContaining('check its permissions'),
  });
});
