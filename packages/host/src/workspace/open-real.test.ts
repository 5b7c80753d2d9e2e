import { constants } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReal } from './open-real.ts';

test('[RES-2] a path that leads elsewhere since its check is not opened', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-open-')));
  const folder = join(root, 'work', 'sub');
  await mkdir(folder, { recursive: true });
  await mkdir(join(root, 'outside'));
  for (const name of ['work/sub/file', 'outside/file']) await writeFile(join(root, name), name);
  const before = await openReal(join(folder, 'file'));
  expect(await before?.readFile('utf8')).toBe('work/sub/file');
  await before?.close();
  await rename(folder, join(root, 'away'));
  await symlink(join(root, 'outside'), folder);
  expect(await openReal(join(folder, 'file'))).toBeUndefined();
  await expect(openReal(folder, constants.O_DIRECTORY)).rejects.toThrow(/ELOOP|ENOTDIR/);
  await rm(root, { recursive: true });
});
