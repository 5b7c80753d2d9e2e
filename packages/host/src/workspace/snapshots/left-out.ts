import { lstat, opendir } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { splitNul } from '../git/git.ts';
import { type Skipped, statsOf } from './listing.ts';
import { CACHE_NAMES } from './store-folder.ts';
import type { TreeStore } from './tree-store.ts';

/** A path that a record leaves out, and why. `ignored`: a tool call has changed the file, and git ignores it. */
export interface LeftOutFile extends Omit<Skipped, 'reason'> {
  readonly reason: Skipped['reason'] | 'ignored';
}

/** Files that may have changed and that a record leaves out. */
export interface LeftOut {
  /** The number of all of them; where records are put together, at least so many. */
  readonly count: number;
  /** The first of them, in order of their paths. */
  readonly files: readonly LeftOutFile[];
}

/** Files that a record names. */
const MAX_NAMED = 50;
/** Entries of repositories inside of the folder that are looked at. When there are more, files in them may have changed. */
const MAX_ENTRIES = 2_000;

/** Nothing is left out. */
export const NOTHING_LEFT_OUT: LeftOut = { count: 0, files: [] };

/** Names the first of some files and counts them. */
export function named(files: readonly LeftOutFile[]): LeftOut {
  const unique = new Map(files.map((file) => [file.path, file]));
  const sorted = [...unique.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { count: sorted.length, files: sorted.slice(0, MAX_NAMED) };
}

/** The files that several records leave out, together. */
export function together(all: readonly LeftOut[]): LeftOut {
  const { count, files } = named(all.flatMap((each) => each.files));
  // Files without names may be the same in all of them.
  const unnamed = Math.max(0, ...all.map((each) => each.count - each.files.length));
  return { count: count + unnamed, files };
}

/**
 * Those files that snapshots have left out, and that may have changed since a time of files, in ms. `before` and `after`: what the snapshots at
 * that time and now have left out.
 */
export async function changedLeftOut(
  root: string,
  {
    before,
    after,
    since,
    maxEntries = MAX_ENTRIES,
  }: {
    readonly before: readonly Skipped[];
    readonly after: readonly Skipped[];
    readonly since: number;
    readonly maxEntries?: number;
  },
): Promise<Skipped[]> {
  const found: Skipped[] = [];
  const present = new Set(after.map(({ path }) => path));
  const budget = { entries: maxEntries };
  for (const file of after) if (await mayHaveChanged(root, file, { since, budget })) found.push(file);
  // A file that is there now is recorded.
  for (const file of before)
    if (!present.has(file.path) && (await statsOf(join(root, file.path))) === undefined) found.push(file);
  return found;
}

/** Those of some files, by their whole paths, that git ignores and that have changed since a time of files. Rejects with `SnapshotError`. */
export async function changedIgnored(
  store: TreeStore,
  files: Iterable<string>,
  { scope, since }: { readonly scope: string; readonly since: number },
): Promise<LeftOutFile[]> {
  const changed: string[] = [];
  for (const file of files) {
    if (!isBelow(join(store.root, scope), file)) continue;
    const stats = await statsOf(file);
    if (typeof stats === 'object' && stats.ctimeMs >= since) changed.push(relative(store.root, file));
  }
  if (changed.length === 0) return [];
  // The command takes paths with the magic of patterns, which `./` ends, and no patterns.
  const input = changed.map((path) => `./${path}\0`).join('');
  const call = { isInTree: true, hasPatterns: true, okCodes: [0, 1] };
  const ignored = await store.call(['check-ignore', '-z', '--stdin'], input, call);
  return splitNul(ignored).map((path) => ({ path: path.toString('utf8').slice(2), reason: 'ignored' }));
}

function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside);
}

async function mayHaveChanged(
  root: string,
  { path, reason }: Skipped,
  { since, budget }: { readonly since: number; readonly budget: { entries: number } },
): Promise<boolean> {
  // The path on disk has other bytes.
  if (reason === 'name') return true;
  const full = join(root, path);
  const stats = await statsOf(full);
  if (typeof stats !== 'object' || stats.ctimeMs >= since) return true;
  return stats.isDirectory() && folderMayHaveChanged(full, { since, budget });
}

/** Whether something in a folder may have changed, but for repositories' own files and caches. */
async function folderMayHaveChanged(
  folder: string,
  { since, budget }: { readonly since: number; readonly budget: { entries: number } },
): Promise<boolean> {
  const waiting = [folder];
  try {
    for (const at of waiting)
      for await (const entry of await opendir(at)) {
        if (entry.name === '.git' || CACHE_NAMES.has(entry.name)) continue;
        if (budget.entries === 0) return true;
        budget.entries -= 1;
        const path = join(at, entry.name);
        if ((await lstat(path)).ctimeMs >= since) return true;
        if (entry.isDirectory()) waiting.push(path);
      }
    return false;
  } catch {
    // It changes right now, or cannot be read.
    return true;
  }
}
