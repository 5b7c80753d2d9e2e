import type { Stats } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict, invalidParams } from '@agenthost/protocol';
import { hasCode } from '@agenthost/protocol/values';
import { type OpenFolder, within, withSubfolder } from './open-folder.ts';

/** Limits of a tree that is copied or deleted at once. */
export interface TreeLimits {
  readonly maxEntries: number;
  /** Each level holds a folder open. */
  readonly maxDepth: number;
  /** Of all files together. */
  readonly maxBytes: number;
}

/** An entry of a tree. */
export interface TreeEntry {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly facts: Stats;
}

/**
 * Looks at every entry of a folder and below, folders before their content. Links are entries and are not followed. Rejects with `-32602`
 * beyond the limits.
 */
export async function checkTree(
  folder: OpenFolder,
  uri: string,
  { maxEntries, maxDepth, maxBytes }: TreeLimits,
  check: (entry: TreeEntry) => Promise<void>,
): Promise<void> {
  let count = 0;
  let bytes = 0;
  const visit = async (at: OpenFolder, depth: number): Promise<void> => {
    if (depth > maxDepth) throw tooMuch(uri, `is deeper than ${maxDepth} folders`);
    for (const { name, facts } of await entriesOf(at, maxEntries - count)) {
      count += 1;
      if (count > maxEntries) throw tooMuch(uri, `has more than ${maxEntries} entries`);
      if (facts.isFile()) bytes += facts.size;
      if (bytes > maxBytes) throw tooMuch(uri, `has more than ${maxBytes} bytes`);
      await check({ folder: at, name, facts });
      if (facts.isDirectory()) await withSubfolder(at, name, (below) => visit(below, depth + 1));
    }
  };
  await visit(folder, 1);
}

/** The entries of a folder; of more than `max` some. */
export async function entriesOf(
  folder: OpenFolder,
  max: number,
): Promise<{ readonly name: string; readonly facts: Stats }[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(within(folder, '.'))) {
    names.push(name);
    if (names.length > max) break;
  }
  const entries = [];
  for (const name of names) {
    try {
      entries.push({ name, facts: await lstat(within(folder, name)) });
    } catch (error) {
      // It went while it was looked at.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return entries;
}

/** Deletes everything in a folder. Links are deleted, not followed. */
export async function emptyFolder(folder: OpenFolder): Promise<void> {
  for (const { name, facts } of await entriesOf(folder, Number.POSITIVE_INFINITY)) {
    try {
      if (!facts.isDirectory()) await unlink(within(folder, name));
      else {
        await withSubfolder(folder, name, emptyFolder);
        await rmdir(within(folder, name));
      }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) continue;
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST'))
        throw conflict(
          `${JSON.stringify(join(folder.path, name))} got new entries while it was deleted: delete it again`,
        );
      throw error;
    }
  }
}

const tooMuch = (uri: string, problem: string) =>
  invalidParams(
    `${JSON.stringify(uri)} ${problem}: it is too large to be copied or deleted at once; nothing was changed`,
  );
