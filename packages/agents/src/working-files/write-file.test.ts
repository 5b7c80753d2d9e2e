import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfinedFolder } from './confined-path.ts';
import { FileRefusal } from './file-refusal.ts';
import { writeWorkingFile } from './write-file.ts';

/** A folder without private paths. */
const openFolder = (path: string): ConfinedFolder => ({ path, isPrivate: async () => false });

let work = '';
let outside = '';

beforeEach(async () => {
  work = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-write-')));
  outside = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-outside-')));
});

afterEach(async () => {
  await rm(work, { recursive: true });
  await rm(outside, { recursive: true });
});

const all = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).toSorted();

describe('a write that is refused', () => {
  test.each<readonly [string, string, string]>([
    ['a name that is too long', `a/b/${'n'.repeat(256)}`, 'is too long for a path'],
    ['a folder with a name that is too long', `a/b/${'n'.repeat(256)}/c`, 'is too long for a path'],
    ['a folder that is a file', 'file/a/b', 'leads through something that is not a folder'],
    ['a folder', 'folder', 'is not a file'],
    ['more new folders than anybody needs', `${'a/'.repeat(65)}b`, 'needs more than 64 new folders'],
    ['a link out', 'link/a/b', 'is outside the working directory'],
    ['a link to nothing out there', 'dangling/a/b', 'is outside the working directory'],
    ['a NUL', 'a/b\0', 'contains a NUL character'],
    ['half a surrogate pair', 'a/\ud800', 'is not well-formed Unicode'],
  ])('for %s leaves nothing behind', async (_, path, reason) => {
    await writeFile(join(work, 'file'), 'a file');
    await mkdir(join(work, 'folder'));
    await symlink(outside, join(work, 'link'));
    await symlink(join(outside, 'none'), join(work, 'dangling'));
    const before = await all(work);
    const writing = writeWorkingFile(openFolder(work), path, 'text');
    await expect(writing).rejects.toThrow(reason);
    await expect(writing).rejects.toBeInstanceOf(FileRefusal);
    expect(await all(work)).toEqual(before);
    expect(await all(outside)).toEqual([]);
  });
});

test.each([0o600, 0o666, 0o755])('an overwritten file keeps its mode: %o', async (mode) => {
  const path = join(work, 'file');
  await writeFile(path, 'old');
  await chmod(path, mode);
  await writeWorkingFile(openFolder(work), 'file', 'new');
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['new', mode]);
});

test('the maximum number of new folders and the maximum length of a name are accepted', async () => {
  const path = `${'a/'.repeat(64)}${'n'.repeat(255)}`;
  await writeWorkingFile(openFolder(work), path, 'text');
  expect(await readFile(join(work, path), 'utf8')).toBe('text');
});

test('[RES-2] no file or folder is created outside when a link replaces a folder during the write', async () => {
  const swapped = join(work, 'swapped');
  const swapping = new AbortController();
  const done = (async () => {
    while (!swapping.signal.aborted) {
      // A write may have created a folder here meanwhile. The next round removes it.
      await symlink(outside, swapped).catch(unless('EEXIST'));
      await rm(swapped, { recursive: true, force: true }).catch(unless('ENOTEMPTY'));
    }
  })();
  const reasons = new Set<string>();
  // Repeats until writes met the link both from the start and during the write.
  const isMet = (): boolean => reasons.size > 1 && reasons.has('is outside the working directory');
  for (let round = 0; round < 300 || !isMet(); round += 1) {
    try {
      await writeWorkingFile(openFolder(work), `swapped/new-${round}/deep/file`, 'text');
    } catch (error) {
      expect(error).toBeInstanceOf(FileRefusal);
      reasons.add(String(error).replace(/^.*deep\/file /, ''));
    }
  }
  swapping.abort();
  await done;
  expect(await all(outside)).toEqual([]);
}, 60_000);

const unless =
  (code: string) =>
  (error: unknown): void => {
    if (!hasCode(error, code)) throw error;
  };
