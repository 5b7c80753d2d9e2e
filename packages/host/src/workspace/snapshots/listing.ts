import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../real-path.ts';
import { SnapshotError } from './snapshot-error.ts';
import { exists } from './store-folder.ts';

/** Limits of one snapshot. */
export interface SnapshotLimits {
  /** Files that were added or changed since the last snapshot. */
  readonly maxFiles: number;
  /** Their bytes together. */
  readonly maxBytes: number;
  /** Larger files are left out. */
  readonly maxFileBytes: number;
}

/** A path that a snapshot leaves out, and why. */
export interface Skipped {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly reason: 'large' | 'repository' | 'unreadable' | 'name';
}

/** The paths that a snapshot puts into its index. */
export interface Listing {
  /** Regular files and links. */
  readonly present: readonly string[];
  /** Files that are gone. */
  readonly gone: readonly string[];
  /** Those of `gone` where there is a folder now. */
  readonly folders: readonly string[];
  readonly skipped: readonly Skipped[];
  /** When each present file was last changed, in ms. */
  readonly times: ReadonlyMap<string, number>;
}

/** Paths looked at together. */
const AT_ONCE = 64;

/**
 * Sorts the paths that git lists as changed, deleted or untracked. `isPrivate`: whether a real path belongs to the host. Rejects with
 * `SnapshotError` above a limit.
 */
export async function sortPaths(
  root: string,
  names: readonly Buffer[],
  limits: SnapshotLimits,
  isPrivate: (path: string) => boolean,
): Promise<Listing> {
  const present: string[] = [];
  const gone: string[] = [];
  const folders: string[] = [];
  const skipped: Skipped[] = [];
  const times = new Map<string, number>();
  let bytes = 0;
  const unique = new Set<string>();
  for (const name of names) {
    // A file URI cannot name such a file.
    if (isUtf8(name)) unique.add(name.toString('utf8'));
    else skipped.push({ path: name.toString('utf8'), reason: 'name' });
  }
  const paths = [...unique];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const found = await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => look(root, path, limits)));
    for (const each of found) {
      if (isPrivate(join(root, each.path))) continue;
      if (each.kind === 'gone') {
        gone.push(each.path);
        if (each.isFolder === true) folders.push(each.path);
      } else if (each.kind === 'skipped') {
        skipped.push({ path: each.path, reason: each.reason });
        // What the index has there are files that the repository has replaced.
        if (each.reason === 'repository' && !each.isFolderName) gone.push(each.path);
      } else {
        present.push(each.path);
        times.set(each.path, each.changedAt);
        bytes += each.bytes;
      }
    }
    if (present.length > limits.maxFiles)
      throw new SnapshotError('tooLarge', `more than ${limits.maxFiles} files have changed`);
    if (bytes > limits.maxBytes)
      throw new SnapshotError('tooLarge', `files of more than ${limits.maxBytes} bytes have changed`);
  }
  return { present, gone, folders, skipped, times };
}

type Look =
  | { readonly kind: 'present'; readonly path: string; readonly bytes: number; readonly changedAt: number }
  | { readonly kind: 'gone'; readonly path: string; readonly isFolder?: boolean }
  | {
      readonly kind: 'skipped';
      readonly path: string;
      readonly reason: Skipped['reason'];
      /** Git lists it as a folder. */
      readonly isFolderName?: boolean;
    };

async function look(root: string, path: string, { maxFileBytes }: SnapshotLimits): Promise<Look> {
  const full = join(root, path);
  // Git lists a repository inside of the tree as a folder.
  if (path.endsWith('/'))
    return { kind: 'skipped', path: path.slice(0, -1), reason: 'repository', isFolderName: true };
  const stats = await statsOf(full);
  if (stats === 'unreadable') return { kind: 'skipped', path, reason: 'unreadable' };
  if (stats === undefined) return { kind: 'gone', path };
  if (stats.isSymbolicLink()) return { kind: 'present', path, bytes: 0, changedAt: stats.ctimeMs };
  if (stats.isDirectory())
    return (await exists(join(full, '.git')))
      ? { kind: 'skipped', path, reason: 'repository' }
      : { kind: 'gone', path, isFolder: true };
  // A file that was replaced by a socket or a pipe.
  if (!stats.isFile()) return { kind: 'gone', path };
  if (stats.size > maxFileBytes) return { kind: 'skipped', path, reason: 'large' };
  return (await isReadable(full))
    ? { kind: 'present', path, bytes: stats.size, changedAt: stats.ctimeMs }
    : { kind: 'skipped', path, reason: 'unreadable' };
}

/** The facts of a path. `undefined`: nothing is there. */
export async function statsOf(path: string): Promise<Stats | 'unreadable' | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    return isMissing(error) ? undefined : 'unreadable';
  }
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
