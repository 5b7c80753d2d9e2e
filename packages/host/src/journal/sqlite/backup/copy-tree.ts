import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

/** Files that a program is about to write or to replace. */
const UNFINISHED = /\.lock$|\.new$|^scratch$|^\.agenthost-|^tmp_/;

/** Files in such a folder never change: git writes each object and pack once. */
const OBJECTS = 'objects';

/**
 * Copies all files of a folder that is in use into a new folder. `fixed`: its files never change, and are linked where the file system can; a program
 * that writes into a linked file would change the copy too. Files that vanish meanwhile are left out, and folders are listed until nothing new
 * appears: git removes a pack after it has written the next one. Does nothing without `from`.
 */
export async function copyTree(
  from: string,
  to: string,
  { signal, fixed }: { readonly signal: AbortSignal; readonly fixed: boolean },
): Promise<void> {
  const known = new Set<string>();
  for (;;) {
    signal.throwIfAborted();
    const found = (await entriesOf(from))?.filter(({ name }) => !known.has(name) && !UNFINISHED.test(name));
    if (found === undefined || (found.length === 0 && known.size > 0)) return;
    if (known.size === 0) await mkdir(to, { mode: 0o700 });
    if (found.length === 0) return;
    // Refs come before the objects that they name, and packs after the loose objects that they replace.
    const ordered = found.toSorted((one, other) => rank(one.name) - rank(other.name));
    for (const entry of ordered) {
      known.add(entry.name);
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory())
        await copyTree(source, target, { signal, fixed: fixed || entry.name === OBJECTS });
      else if (entry.isFile()) await copyIfThere(source, target, fixed);
    }
  }
}

const rank = (name: string): number => (name === OBJECTS || name === 'pack' ? 1 : 0);

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Codes of file systems that cannot link a file, or not into this folder. */
const NO_LINK = ['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'] as const;

async function copyIfThere(from: string, to: string, isFixed: boolean): Promise<void> {
  try {
    if (isFixed) await link(from, to).catch((error: unknown) => copyInstead(error, from, to));
    else await copyFile(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function copyInstead(error: unknown, from: string, to: string): Promise<void> {
  if (!hasCode(error, ...NO_LINK)) throw error;
  return copyFile(from, to);
}
