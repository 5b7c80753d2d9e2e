import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCli } from '../src/program/program.ts';
import { FakeContext } from './fake-context.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-serve-page-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('on a terminal, serve prints an address that signs a browser in', async () => {
  const context = new FakeContext({ isTerminal: true });
  context.env = { ...context.env, TERM: 'dumb', XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
  const running = runCli(context, ['serve', '--port', '0', '--no-keeper', '--data', join(folder, 'data')]);
  await vi.waitUntil(() => context.out.includes('Ctrl-C stops it.'), { timeout: 30_000 });
  const link = /^ {2}page {4}(http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)$/m.exec(context.out)?.[1] ?? '';
  const answer = await fetch(link, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  expect(answer.headers.get('set-cookie')).toMatch(/^agenthost_token_\d+=ahs_/);
  context.signal('SIGINT');
  expect(await running).toBe(0);
});
