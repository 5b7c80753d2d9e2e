import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { copyDatabase } from './copy-database.ts';

test('a copy that begins while a transaction is open waits for its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  const database = new DatabaseSync(join(folder, 'a.db'));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
  let isDone = false;
  const copied = copyDatabase(database, join(folder, 'b.db'), new AbortController().signal).then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  expect(isDone).toBe(false);
  database.exec('COMMIT');
  await copied;
  const copy = new DatabaseSync(join(folder, 'b.db'));
  expect(copy.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
  copy.close();
});
