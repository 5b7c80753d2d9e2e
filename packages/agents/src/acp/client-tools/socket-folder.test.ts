import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeSocketFolder, removeLeftSockets } from './socket-folder.ts';

/** Listens and exits without closing the socket. */
const killed = (path: string): void => {
  const program = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', program, path]).signal).toBe('SIGKILL');
};

test('the socket of a killed host is removed, but no socket that is in use or about to be used', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'agenthost-sockets-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });
  const left = makeSocketFolder();
  killed(left.path);
  const other = join(temporary, 'other', 'socket');
  mkdirSync(dirname(other));
  killed(other);
  const begun = makeSocketFolder();
  const used = makeSocketFolder();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(used.path, resolve));
  expect(existsSync(left.path)).toBe(true);
  await removeLeftSockets((error) => expect.unreachable(String(error)));
  expect([left.folder, other, begun.folder, used.path].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  await new Promise((resolve) => server.close(resolve));
});

test('an unreadable temporary folder is reported and skipped', async () => {
  vi.stubEnv('TMPDIR', '/proc/none');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const failures: unknown[] = [];
  await removeLeftSockets((error) => failures.push(error));
  expect(failures.map(String)).toEqual([expect.stringContaining('ENOENT')]);
});

test('the path of a socket is short enough to listen on, also with a long path of the temporary folder', () => {
  vi.stubEnv('TMPDIR', `/${'long/'.repeat(20)}`);
  const { folder, path } = makeSocketFolder();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  expect(dirname(folder)).toBe('/tmp');
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
});
