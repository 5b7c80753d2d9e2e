import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LockHeld, lockFile } from './lock-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Processes 1 and 2 run since "a"; others do not. */
const as = (pid: number) => ({
  pid,
  startOf: async (asked: number) => (asked === 1 || asked === 2 ? 'a' : undefined),
});

test('a lock is held by one process until it is released', async () => {
  const lock = await lockFile(file, as(1));
  expect(lock.stalePid).toBeUndefined();
  const refused: unknown = await lockFile(file, as(2)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LockHeld);
  expect(refused).toMatchObject({ pid: 1 });
  await lock.release();
  await lock.release();
  expect(existsSync(file)).toBe(false);
  await (await lockFile(file, as(2))).release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['has ended', '77 x\n'],
  ['has ended, and whose id another process has', '2 earlier\n'],
])('a lock of a process that %s is replaced, and told', async (_, content) => {
  writeFileSync(file, content);
  expect(await lockFile(file, as(1))).toMatchObject({ stalePid: Number.parseInt(content, 10) });
});

test('an empty lock, as a full disk leaves it, is replaced', async () => {
  writeFileSync(file, '');
  await lockFile(file, as(1));
  await expect(lockFile(file, as(2))).rejects.toBeInstanceOf(LockHeld);
});

test('of many processes that replace a stale lock, one gets it', async () => {
  writeFileSync(file, '77 x\n');
  const outcomes = await Promise.allSettled(
    [1, 2].flatMap((pid) => [lockFile(file, as(pid)), lockFile(file, as(pid))]),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
