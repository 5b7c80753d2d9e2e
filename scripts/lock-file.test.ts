import { lstat, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLockFile } from './lock-file.ts';

/** No process has this id: it is above the limit of Linux. */
const NO_PROCESS = 2 ** 22 + 1;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('work under one lock is done one after the other', async () => {
  const path = join(folder, 'lock');
  const log: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    log.push(`${name} starts`);
    await new Promise(setImmediate);
    log.push(`${name} ends`);
  };
  await Promise.all([withLockFile(path, work('one')), withLockFile(path, work('two'))]);
  expect(log.map((line) => line.split(' ')[1])).toEqual(['starts', 'ends', 'starts', 'ends']);
  await expect(lstat(path)).rejects.toThrow('ENOENT');
});

test('a lock is free again after a failure, and after the end of its process', async () => {
  const path = join(folder, 'lock');
  await expect(withLockFile(path, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  await symlink(String(NO_PROCESS), path);
  expect(await withLockFile(path, () => Promise.resolve('done'))).toBe('done');
});
