import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';

/** Large folders that users do not search. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.jj', '.svn', 'node_modules']);
/** Number of folders that are read concurrently. */
const AT_ONCE = 8;

/**
 * Files and folders below a folder, each with a NUL behind it and folders with a slash, breadth first. Stops at `maxEntries`, and returns a
 * part when the signal aborts. Follows no links and reads no ignore files. Unreadable folders count as empty.
 */
export async function listByWalk(folder: string, maxEntries: number, signal: AbortSignal): Promise<string> {
  const paths: string[] = [];
  let level = [''];
  while (level.length > 0 && paths.length < maxEntries && !signal.aborted) {
    const next: string[] = [];
    for (let at = 0; at < level.length && paths.length < maxEntries && !signal.aborted; at += AT_ONCE) {
      const parents = level.slice(at, at + AT_ONCE);
      const read = await Promise.all(parents.map((parent) => entriesOf(join(folder, parent))));
      for (const [index, entries] of read.entries()) {
        for (const entry of entries) {
          if (SKIPPED.has(entry.name)) continue;
          const path = `${parents[index] ?? ''}${entry.name}${entry.isDirectory() ? '/' : ''}`;
          paths.push(path);
          if (entry.isDirectory()) next.push(path);
        }
      }
    }
    level = next;
  }
  return paths
    .slice(0, maxEntries)
    .map((path) => `${path}\0`)
    .join('');
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
