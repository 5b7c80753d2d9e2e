import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfinedFolder } from '../../working-files/confined-path.ts';
import { readTextFile, writeTextFile } from './files.ts';

/** A folder without private paths. */
const openFolder = (path: string): ConfinedFolder => ({ path, isPrivate: async () => false });

/** A regular file that opens, but whose first byte cannot be read (EIO), because nothing is mapped there. */
const unreadable = '/proc/self/mem';

test.skipIf(!existsSync(unreadable))(
  'an error of the operating system is reported to the agent as a fault of the host',
  async () => {
    await expect(readTextFile(openFolder('/proc/self'), { path: unreadable })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(`${unreadable} cannot be used: the operating system reports EIO`),
      data: { details: `${unreadable} cannot be used: the operating system reports EIO` },
    });
  },
);

test('an invalid request is reported to the agent as its own mistake', async () => {
  const work = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-files-')));
  onTestFinished(() => rm(work, { recursive: true }));
  await writeFile(join(work, 'file'), '');
  await expect(readTextFile(openFolder(work), { path: join(work, 'none') })).rejects.toMatchObject({
    code: -32002,
  });
  for (const path of [work, join(work, 'file', 'below'), '/elsewhere'])
    await expect(writeTextFile(openFolder(work), { path, content: '' })).rejects.toMatchObject({
      code: -32602,
    });
});
