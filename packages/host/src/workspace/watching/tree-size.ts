import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { TreeOptions } from './tree-source.ts';

/**
 * Counts what would be watched, one folder after the other, before a watcher is started: the watcher keeps something in memory for each file, and
 * would take a minute for a home directory. Rejects with the failure of `checkSize`.
 */
export async function countTree({
  root,
  isRecursive,
  isIgnored,
  checkSize,
}: Pick<TreeOptions, 'root' | 'isRecursive' | 'isIgnored' | 'checkSize'>): Promise<void> {
  let folders = 0;
  let entries = 0;
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders += 1;
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (isIgnored(path)) continue;
      entries += 1;
      if (!isRecursive || !entry.isDirectory()) continue;
      const stats = await unlessGone(() => lstat(path));
      if (stats?.isDirectory() === true && !isIgnored(path, stats)) waiting.push(path);
    }
    checkSize({ folders: folders + waiting.length, entries });
  }
}

const entriesOf = async (folder: string): Promise<Dirent[]> =>
  (await unlessGone(() => readdir(folder, { withFileTypes: true }))) ?? [];

/** Paths that are gone or not accessible are not watched. */
async function unlessGone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
