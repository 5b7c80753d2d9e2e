import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT, startHost } from '../../../test/host-fixture.ts';
import { SqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';

test('x-hostDiskUse adds up the database, the logs and the free space of the disk', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'agenthost-disk-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  writeFileSync(join(dataDir, 'agenthost.log'), 'x'.repeat(100));
  writeFileSync(join(dataDir, 'agenthost.log.1'), 'x'.repeat(20));
  writeFileSync(join(dataDir, 'other'), 'x'.repeat(1_000));
  const host = await startHost({ dataDir });
  const client = await host.client('eye', {}, { tokenHash: 'eye', scope: 'observe' });
  const use = await client.request('x-hostDiskUse', { channel: ROOT });
  expect(use).toMatchObject({ logBytes: 120, reusableBytes: 0, contentBytes: 0 });
  expect(use.databaseBytes).toBeGreaterThan(0);
  expect(use.diskFreeBytes).toBeLessThanOrEqual(use.diskBytes ?? 0);
});

test('x-hostDiskUse of a host without a data folder has the size of its journal alone', async () => {
  const host = await startHost();
  const client = await host.client();
  const use = await client.request('x-hostDiskUse', { channel: ROOT });
  expect(Object.keys(use).toSorted()).toEqual(['contentBytes', 'databaseBytes', 'reusableBytes']);
});

test('the size of a database on disk includes its write-ahead log and its contents', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journal = new SqliteJournal({ folder, now: () => 0, bootId: () => 'boot' });
  await journal.open();
  const before = await journal.wholeDiskUse();
  const data = new Uint8Array(300_000);
  await journal.commit([{ op: 'content', id: 'c', session: 's', contentType: 'a/b', data }]);
  const after = await journal.wholeDiskUse();
  expect(after.contentBytes).toBe(300_000);
  expect(after.databaseBytes - before.databaseBytes).toBeGreaterThan(300_000);
  await journal.commit([{ op: 'dropSession', uri: 's' }]);
  expect((await journal.wholeDiskUse()).reusableBytes).toBeGreaterThan(200_000);
  await journal.close();
});
