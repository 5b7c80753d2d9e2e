import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { hostsFolder } from '../process/files.ts';
import { Screen } from '../render/screen.ts';
import { announceHost } from './discovery.ts';
import { findHost, hostOptionText } from './find-host.ts';

let folder: string;
let context: FakeContext;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-cli-'));
  context = new FakeContext();
  context.env = { XDG_STATE_HOME: folder };
  await announceHost(hostsFolder(context), {
    url: 'http://127.0.0.1:4711',
    wsUrl: 'ws://127.0.0.1:4711/ahp',
    token: 'own',
    dataDir: folder,
    version: '1.2.3',
    startedAt: '2026-01-01T00:00:00Z',
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['http://127.0.0.1:4711', true],
  ['http://localhost:4712', false],
  ['http://localhost.example.org:4711', false],
])('the token of the local host is used for %s: %s', async (url, isOwn) => {
  const target = await findHost(context, new Screen(context), { url });
  expect(target).toEqual({ url, isOwn, ...(isOwn ? { token: 'own' } : {}) });
});

test.each([
  ['http://localhost:4711', 'http://127.0.0.1:4711'],
  ['https://localhost:4711/', 'https://127.0.0.1:4711'],
  ['ws://[::1]:4711/ahp', 'ws://127.0.0.1:4711/ahp'],
  ['http://127.9.9.9:4711', 'http://127.0.0.1:4711'],
])('%s is the local host, and its token goes only to its own address: %s', async (given, url) => {
  const target = await findHost(context, new Screen(context), { url: given });
  expect(target).toEqual({ url, isOwn: true, token: 'own' });
});

test("[AUTH-1] AGENTHOST_TOKEN goes before the owner's token, for a named host and for the one that was found", async () => {
  const screen = new Screen(context);
  expect(await findHost(context, screen, {})).toMatchObject({ token: 'own' });
  context.env['AGENTHOST_TOKEN'] = 'given';
  expect(await findHost(context, screen, {})).toMatchObject({ token: 'given', isOwn: true });
  expect(await findHost(context, screen, { url: 'http://localhost:4711' })).toMatchObject({ token: 'given' });
});

test.each([
  [{}, ''],
  [{ url: 'http://127.0.0.1:4711' }, ' --url http://127.0.0.1:4711'],
  [
    { url: 'wss://me:secret@host.example/ahp?token=secret', fingerprint: 'AB:CD' },
    ' --url wss://host.example/ahp --fingerprint AB:CD',
  ],
  [{ url: 'ws://host/ahp?a=1&b=2' }, " --url 'ws://host/ahp?a=1&b=2'"],
])('[AUTH-1] %j is passed to another command as%s, without secrets', (options, text) => {
  expect(hostOptionText(options)).toBe(text);
});
