import { createHash } from 'node:crypto';
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
  for (let round = 0; round < 50; round += 1) {
    writeFileSync(file, '77 x\n');
    const outcomes = await Promise.allSettled([1, 2, 1, 2, 1, 2, 1, 2].map((pid) => lockFile(file, as(pid))));
    const locks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]?.release();
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('a process that looked at a stale lock long ago does not replace the new one', async () => {
  writeFileSync(file, '77 x\n');
  const [looks, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = lockFile(file, {
    pid: 2,
    startOf: async (pid) => {
      if (pid !== 77) return 'a';
      looks.resolve();
      await goesOn.promise;
      return undefined;
    },
  });
  await looks.promise;
  await lockFile(file, as(1));
  goesOn.resolve();
  await expect(slow).rejects.toMatchObject({ name: 'LockHeld', pid: 1 });
  await expect(lockFile(file, as(2))).rejects.toMatchObject({ pid: 1 });
});

test('a process that was killed while it replaced a stale lock leaves nothing that blocks', async () => {
  writeFileSync(file, '77 x\n');
  // The killed process held the lock on this content, so it alone could replace it.
  const name = createHash('sha256').update('77 x\n').digest('hex').slice(0, 16);
  writeFileSync(`${file}.${name}`, '78 y\n');
  const lock = await lockFile(file, as(1));
  expect(lock.stalePid).toBe(77);
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});
