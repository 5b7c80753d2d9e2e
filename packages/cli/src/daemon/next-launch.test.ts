import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import type { HostRecord } from '../host-link/discovery.ts';
import { nextLaunch } from './next-launch.ts';

function setUp(record: Partial<HostRecord>, env: Record<string, string>, missing: readonly 'args'[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-launch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const context = new FakeContext();
  context.env = { PATH: '/bin', ...env };
  const all: HostRecord = {
    pid: 7,
    processStart: 'x',
    machine: 'm',
    url: 'http://127.0.0.1:4800',
    wsUrl: 'ws://127.0.0.1:4800/ahp',
    token: 'owner-token',
    dataDir: folder,
    version: '0.1.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    args: ['--port', '0', '--data', folder],
    cwd: folder,
    ...record,
  };
  const host: { -readonly [key in keyof HostRecord]: HostRecord[key] } = { ...all };
  for (const name of missing) delete host[name];
  const told: string[] = [];
  return { folder, told, launch: () => nextLaunch(context, host, (line) => told.push(line)) };
}

test('[AUTH-1] the next host gets no token, database, password or port of the shell that restarts it', async () => {
  const foreign = {
    AGENTHOST_TOKEN: 'token-of-an-observer',
    AGENTHOST_JOURNAL: 'postgres://elsewhere/db',
    AGENTHOST_JOURNAL_PASSWORD: 'of-elsewhere',
    AGENTHOST_PORT: '1',
    OPENAI_API_KEY: 'k',
  };
  const { folder, launch, told } = setUp({}, foreign);
  expect(await launch()).toEqual({
    dataDir: folder,
    args: ['--port', '4800', '--data', folder],
    cwd: folder,
    env: { PATH: '/bin', OPENAI_API_KEY: 'k' },
  });
  expect(told).toEqual([]);
  const own = await setUp({ tokenFrom: 'environment' }, foreign).launch();
  expect(own.env).toEqual({ PATH: '/bin', OPENAI_API_KEY: 'k', AGENTHOST_TOKEN: 'owner-token' });
});

test('a password of the database is passed on, and refused before the stop when this command has none', async () => {
  const record = { passwordFrom: 'AGENTHOST_JOURNAL_PASSWORD' };
  const { launch } = setUp(record, { AGENTHOST_JOURNAL_PASSWORD: 'secret' });
  expect((await launch()).env).toEqual({ PATH: '/bin', AGENTHOST_JOURNAL_PASSWORD: 'secret' });
  for (const env of [{}, { AGENTHOST_JOURNAL_PASSWORD: '' }])
    await expect(setUp(record, env).launch()).rejects.toMatchObject({
      exitCode: 2,
      message:
        'the host (pid 7) has the password of its database from AGENTHOST_JOURNAL_PASSWORD: set this variable for the next host too',
    });
});

test('a recording is not replaced, a removed folder not needed, and a host without options refused', async () => {
  const { launch, told } = setUp({ args: ['--record', '/r.jsonl', '--port', '1'], cwd: '/none' }, {});
  expect(await launch()).toMatchObject({ args: ['--port', '1'], cwd: '/home/user' });
  expect(told).toEqual([expect.stringContaining('the next host records nothing')]);
  const { launch: launchOld } = setUp({ version: '0.0.9' }, {}, ['args']);
  await expect(launchOld()).rejects.toMatchObject({ message: expect.stringContaining('an older version') });
});
