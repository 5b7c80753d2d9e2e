import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

/** Files that a program is about to write or to replace. */
const UNFINISHED = /\.lock$|^scratch$|^\.agenthost-|^tmp_/;

/**
 * Links all files of a folder that is in use into a new folder, or copies them where the file system has no links. Files that vanish meanwhile are
 * left out, and folders are listed until nothing new appears: git removes a pack after it has written the next one. Does nothing without `from`.
 */
export async function linkTree(from: string, to: string, signal: AbortSignal): Promise<void> {
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
      if (entry.isDirectory()) await linkTree(source, target, signal);
      else if (entry.isFile()) await linkFile(source, target);
    }
  }
}

const rank = (name: string): number => (name === 'objects' || name === 'pack' ? 1 : 0);

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].some((code) => hasCode(error, code))) throw error;
    await copyFile(from, to);
  }
}
