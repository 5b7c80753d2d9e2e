import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Every path below a folder, with the contents of files and the targets of links. */
export async function treeOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const name = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${name} → ${await readlink(name)}`;
    return entry.isFile() ? `${name}: ${await readFile(name, 'utf8')}` : name;
  });
  return (await Promise.all(lines)).toSorted();
}
