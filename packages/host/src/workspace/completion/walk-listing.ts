import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';

/** What is large and nobody means. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.jj', '.svn', 'node_modules']);
/** Folders that are read at once. */
const AT_ONCE = 8;

/**
 * Files and folders below a folder, each with a NUL behind it and a folder with a slash, the nearest first. Stops at `maxEntries`, and with
 * what it has when the signal aborts. Follows no links, and reads no rules of what to ignore; folders that cannot be read hold nothing.
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
