import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** All that is there, with what files and links hold. */
export async function treeOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const name = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${name} → ${await readlink(name)}`;
    return entry.isFile() ? `${name}: ${await readFile(name, 'utf8')}` : name;
  });
  return (await Promise.all(lines)).toSorted();
}
