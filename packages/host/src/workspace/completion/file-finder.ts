import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { NextSlice } from '../../lib/slice-scheduler.ts';
import type { PrivatePaths, PrivateView } from '../private-paths.ts';
import { isWithin } from '../real-path.ts';
import { type FolderParts, FolderPaths } from './folder-paths.ts';
import { Slices } from './slices.ts';

/** Limit of memory for the paths of all folders. The least recently used folders are dropped first. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_FOLDERS = 16;
/** An answer does not wait longer for the first listing of a folder; it then has no paths. */
const FIRST_LIST_MS = 2_000;
/** Additional results to check, since some found paths may be gone or lead elsewhere. */
const SPARE = 8;

/** The longest path of Linux. */
const MAX_PATH_UNITS = 4_096;

/** Runs a search in the caller's share of the event loop. The search waits for `next` before each slice but the first. */
export type InShare = <T>(work: (next: NextSlice) => Promise<T>) => Promise<T>;

/** A file or folder that matches. */
export interface FoundFile {
  /** Relative to the searched folder, with slashes. The path of a folder ends with a slash. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Parts of a `FileFinder`. */
export interface FinderParts extends FolderParts {
  /** Paths that are never returned. */
  readonly privatePaths: Pick<PrivatePaths, 'look'>;
}

/** Finds files below folders by a few of their characters. */
export class FileFinder {
  readonly #parts: FinderParts;
  readonly #maxBytes: number;
  readonly #folders = new Map<string, FolderPaths>();
  #searchCount = 0;

  /** `maxBytes`: limit of memory for the paths of all folders. Default 128 MiB. */
  constructor(parts: FinderParts, maxBytes = MAX_BYTES) {
    this.#parts = parts;
    this.#maxBytes = maxBytes;
  }

  /** Number of folders whose paths are in memory. */
  get folderCount(): number {
    return this.#folders.size;
  }

  /**
   * Files and folders below `folder` (absolute) that match the query, the best first. Each exists, lies in the folder by its real path, and is
   * not private to the host. Rejects with the signal's reason when the signal aborts. `inShare` runs the search in slices.
   */
  async find(
    { folder, query, limit }: { readonly folder: string; readonly query: string; readonly limit: number },
    signal: AbortSignal,
    inShare: InShare,
  ): Promise<readonly FoundFile[]> {
    const wanted = query.replace(/^(\.\/)+/, '');
    if (wanted.length > MAX_PATH_UNITS) return [];
    if (wanted.startsWith('/') || wanted.startsWith('../') || wanted === '..') return [];
    const paths = this.#open(folder);
    if (paths.use() === undefined) await this.#first(paths, signal);
    const search = paths.use();
    this.#makeRoom(paths);
    if (search === undefined) return [];
    this.#searchCount += 1;
    const searched = inShare((next) => search.find(wanted, limit + SPARE, new Slices(next)));
    const found = await searched.finally(() => {
      this.#searchCount -= 1;
    });
    const present = await presentOf(folder, found, await this.#parts.privatePaths.look());
    return present.slice(0, limit);
  }

  /** Drops the paths of folders that were last used before this time (of `steadyNow`). */
  dropIdle(before: number): void {
    for (const [folder, paths] of this.#folders) if (paths.usedAt < before) this.#drop(folder, paths);
  }

  /** Stops all searches and listings. */
  end(): void {
    for (const [folder, paths] of this.#folders) this.#drop(folder, paths);
  }

  #open(folder: string): FolderPaths {
    const present = this.#folders.get(folder);
    const paths = present ?? new FolderPaths(folder, this.#parts, () => this.#searchCount > 0);
    this.#folders.delete(folder);
    this.#folders.set(folder, paths);
    return paths;
  }

  async #first(paths: FolderPaths, signal: AbortSignal): Promise<void> {
    const given = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(FIRST_LIST_MS, given.resolve);
    const leave = (): void => given.resolve();
    signal.addEventListener('abort', leave, { once: true });
    await Promise.race([paths.listed(), given.promise]);
    cancel();
    signal.removeEventListener('abort', leave);
    signal.throwIfAborted();
  }

  /** Drops folders until the limit is met. The folder in use stays. */
  #makeRoom(inUse: FolderPaths): void {
    let byteLength = 0;
    for (const paths of this.#folders.values()) byteLength += paths.byteLength;
    for (const [folder, paths] of this.#folders) {
      if (byteLength <= this.#maxBytes && this.#folders.size <= MAX_FOLDERS) return;
      if (paths === inUse) continue;
      byteLength -= paths.byteLength;
      this.#drop(folder, paths);
    }
  }

  #drop(folder: string, paths: FolderPaths): void {
    paths.end();
    this.#folders.delete(folder);
  }
}

/** The paths that exist, lie in the folder by their real paths, and are not private. */
async function presentOf(
  folder: string,
  paths: readonly string[],
  hidden: PrivateView,
): Promise<FoundFile[]> {
  const root = await realPathOf(folder);
  if (root === undefined) return [];
  const looked = await Promise.all(
    paths.map(async (path): Promise<FoundFile | undefined> => {
      const name = path.endsWith('/') ? path.slice(0, -1) : path;
      const real = await realPathOf(join(folder, name));
      if (real === undefined || !isWithin(real, root) || (await hidden.covers(real))) return undefined;
      // The listing shows links and submodules as files.
      const isFolder = name !== path || (await stat(real)).isDirectory();
      return { path: isFolder ? `${name}/` : name, isFolder };
    }),
  );
  return looked.filter((found) => found !== undefined);
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
