import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Writes a file as a whole, with this mode, and makes its folder. A crash leaves the former file or the new one. */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  await makeFolder(dirname(file), 0o777);
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    const opened = await open(draft, 'wx', mode);
    try {
      await opened.writeFile(text);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
