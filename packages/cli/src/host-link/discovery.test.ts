import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { announceHost, readHosts, readRecords } from './discovery.ts';

const facts = {
  url: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1/ahp',
  token: 'owner',
  dataDir: '/data',
  version: '0.1.0',
  startedAt: '2026-01-01T00:00:00.000Z',
};

test('an announcement that failed once leaves no file, and succeeds the next time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-discovery-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const name = `${process.pid}.json`;
  await mkdir(join(folder, name));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(announceHost(folder, facts)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(folder)).toEqual([name]);
  }
  await rm(join(folder, name), { recursive: true });
  await announceHost(folder, facts);
  expect(await readHosts(folder)).toMatchObject([facts]);
  expect(await readdir(folder)).toEqual([name]);
});

test('a standby is no host that listens, and the record of one that was killed is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-discovery-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { dataDir, version, startedAt } = facts;
  const standby = { dataDir, version, startedAt, cell: 'main', reason: 'in use' };
  await announceHost(folder, standby);
  expect(await readRecords(folder)).toMatchObject([standby]);
  expect(await readHosts(folder)).toEqual([]);
  // A later process has the pid of the standby.
  const file = join(folder, `${process.pid}.json`);
  const record: object = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...record, processStart: 'earlier' }));
  expect(await readRecords(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});
