import { constants, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { matchesGlob, relative, resolve } from 'node:path';
import { inFolder } from '@agenthost/host/agent';
import { type ConfinedFolder, confinedPath, openConfined } from '../../working-files/confined-path.ts';
import { FileRefusal, refusalOf } from '../../working-files/file-refusal.ts';

/** Folders that hold no sources. */
const SKIPPED = new Set(['.git', 'node_modules', '.hg', '.svn', '__pycache__', '.venv']);
/** Entries that one walk looks at. */
const MAX_ENTRIES = 100_000;

/** Names in a folder of the working directories, sorted; those of folders end with a slash. Rejects with `FileRefusal`. */
export async function listFolder(root: ConfinedFolder, asked: string): Promise<string[]> {
  const entries = await entriesOf(root, asked);
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

async function entriesOf(root: ConfinedFolder, asked: string): Promise<Dirent[]> {
  const real = await confinedPath(root, asked);
  const folder = await openConfined(real, asked, constants.O_DIRECTORY);
  try {
    return await readdir(inFolder(folder, real), { withFileTypes: true });
  } catch (error) {
    throw refusalOf(error, asked);
  } finally {
    await folder.close();
  }
}

/**
 * Files below a folder whose path from it, or name, matches the glob, as paths from the working directory. Follows no links, and skips
 * version control and dependencies. Rejects with `FileRefusal`, or with the abort reason.
 */
export async function* walk(
  root: ConfinedFolder,
  from: string,
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const start = resolve(root.path, from);
  const folders = [start];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of (await entriesIn(root, folder, folder === start)).toSorted(byName)) {
      signal.throwIfAborted();
      seen += 1;
      if (seen > MAX_ENTRIES) return;
      const path = resolve(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      const isWanted =
        glob === undefined || matchesGlob(relative(start, path), glob) || matchesGlob(entry.name, glob);
      if (entry.isFile() && isWanted) yield relative(root.path, path);
    }
  }
}

/** A folder that vanished or may not be read is empty, but not the one that was asked for. */
async function entriesIn(root: ConfinedFolder, folder: string, isStart: boolean): Promise<Dirent[]> {
  try {
    return await entriesOf(root, folder);
  } catch (error) {
    if (isStart || !(error instanceof FileRefusal)) throw error;
    return [];
  }
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
