import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Log } from '../lib/log.ts';
import { findRealPath, isWithin, type RealPath } from './real-path.ts';
import { tolerant } from './tolerant.ts';

/** Limit of files and folders that are recognized under other names (hard links, mounts). */
const MAX_FILES = 10_000;

/** Lifetime of the cached file ids. */
const IDS_FOR_MS = 1_000;

/** The private files at one moment. */
export interface PrivateView {
  /** Whether a real path is one of the private paths or lies in one. */
  isWithin(real: string): boolean;
  /** Whether a real path is private, or leads to the same file or folder. */
  covers(real: string): Promise<boolean>;
  /** Whether a private path lies below a real path. */
  isBelow(real: string): boolean;
}

/**
 * Files and folders that are private to the host: its data, log, sockets of keepers, tokens and keys. Clients and agents cannot read, list or
 * write them through the host, or work in them. They are recognized by path, and by device and inode, which are the same under another name.
 */
export class PrivatePaths {
  readonly #paths: readonly string[];
  readonly #log: Log | undefined;
  readonly #now: () => number;
  readonly #maxFiles: number;
  readonly #publicPath: string | undefined;
  #known: { readonly ids: Promise<FileIds>; readonly readAt: number } | undefined;
  #hasWarned = false;

  /**
   * Absolute paths. Each counts as soon as it exists.
   * @param options.now steady ms
   * @param options.publicPath absolute path of a folder below a private one that is not private itself. Default: none
   */
  constructor(
    paths: readonly string[],
    {
      log,
      now = () => performance.now(),
      maxFiles = MAX_FILES,
      publicPath,
    }: {
      readonly log?: Log;
      readonly now?: () => number;
      readonly maxFiles?: number;
      readonly publicPath?: string;
    } = {},
  ) {
    this.#publicPath = publicPath;
    this.#paths = [...new Set(paths)];
    this.#log = log;
    this.#now = now;
    this.#maxFiles = maxFiles;
  }

  /** Reads the current private files. File ids may be a second old. */
  async look(): Promise<PrivateView> {
    const roots = await this.#roots();
    const open = this.#openIn(roots);
    const isInRoot = (real: string): boolean => isPrivateIn(real, roots, open);
    return {
      isWithin: isInRoot,
      isBelow: (real) => roots.some((root) => isWithin(root.path, real)),
      covers: async (real) => isInRoot(real) || (await this.#isOneOf(real, roots, open)),
    };
  }

  /** The real paths that exist now, without those inside another one. */
  async existing(): Promise<readonly string[]> {
    const paths = (await this.#roots()).filter(({ exists }) => exists).map(({ path }) => path);
    return [...new Set(paths)].filter(
      (path) => !paths.some((other) => other !== path && isWithin(path, other)),
    );
  }

  /** As `look`, for one path. */
  async covers(real: string): Promise<boolean> {
    return (await this.look()).covers(real);
  }

  /**
   * Returns a check for code that cannot wait, with the private files of this moment. `stats` recognizes them under other names. It does not
   * look at the folders above a path.
   */
  async lookAhead(): Promise<
    (real: string, stats?: { readonly dev: number; readonly ino: number }) => boolean
  > {
    const roots = await this.#roots();
    const { ids } = await this.#ids(roots);
    const open = this.#openIn(roots);
    return (real, stats) =>
      isPrivateIn(real, roots, open) || (stats !== undefined && isNowAt(ids, `${stats.dev}:${stats.ino}`));
  }

  /**
   * The public folder, by the real path of the private one above it. A link in its place is not followed: what it leads to stays private.
   */
  #openIn(roots: readonly Root[]): string | undefined {
    const open = this.#publicPath;
    if (open === undefined) return undefined;
    const root = roots.find(({ given }) => given !== open && isWithin(open, given));
    return root === undefined ? undefined : join(root.path, relative(root.given, open));
  }

  async #roots(): Promise<readonly Root[]> {
    const roots: Root[] = [];
    for (const given of this.#paths) {
      const real = await tolerant(() => findRealPath(given));
      if (real !== undefined) roots.push({ ...real, given });
    }
    return roots;
  }

  /** Whether the path or a folder above it is a private one under another name. */
  async #isOneOf(real: string, roots: readonly Root[], open: string | undefined): Promise<boolean> {
    const known = await this.#ids(roots);
    const verdict = await compare(real, known, open);
    if (verdict !== 'reused') return verdict === 'private';
    // A private file was removed or renamed since the ids were read. After a rename, the new ids have it under its new name.
    this.#known = undefined;
    return (await compare(real, await this.#ids(roots), open)) === 'private';
  }

  #ids(roots: readonly Root[]): Promise<FileIds> {
    const now = this.#now();
    if (this.#known === undefined || now - this.#known.readAt >= IDS_FOR_MS)
      this.#known = { ids: this.#readIds(roots), readAt: now };
    return this.#known.ids;
  }

  async #readIds(roots: readonly Root[]): Promise<FileIds> {
    const found = { ids: new Map<string, string>(), isComplete: true };
    // All roots first, so that they are recognized even when a folder has more files than the limit.
    const existing = roots.filter(({ exists }) => exists).map(({ path }) => path);
    const limits = { maxFiles: this.#maxFiles, open: this.#openIn(roots) };
    for (const path of existing) await noteId(path, found.ids);
    for (const path of existing) found.isComplete &&= await gather(path, found.ids, limits);
    if (!found.isComplete && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#log?.warn(
        { maxFiles: this.#maxFiles },
        'the host has more files of its own than it can recognise under other names: files with several hard links are not read for clients',
      );
    }
    return found;
  }
}

/** A private path as given, and after all links. */
interface Root extends RealPath {
  readonly given: string;
}

/** Whether a real path lies in a private one, and not in the public folder. */
function isPrivateIn(real: string, roots: readonly Root[], open: string | undefined): boolean {
  if (open !== undefined && isWithin(real, open))
    return roots.some(({ path }) => isWithin(path, open) && isWithin(real, path));
  return roots.some((root) => isWithin(real, root.path));
}

/** Device and inode of files and folders. */
interface FileIds {
  /** A path of each. It may have been removed since, and the system gives its inode to the next new file. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether no file was left out. */
  readonly isComplete: boolean;
}

async function noteId(path: string, ids: Map<string, string>): Promise<BigIntStats | undefined> {
  const found = await tolerant(() => lstat(path, { bigint: true }));
  if (found !== undefined) ids.set(idOf(found), path);
  return found;
}

/** Notes a file, or a folder with all that is below it. Returns whether there was room for all. */
async function gather(
  path: string,
  ids: Map<string, string>,
  { maxFiles, open }: { readonly maxFiles: number; readonly open: string | undefined },
): Promise<boolean> {
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const here = at;
    if (here === open) continue;
    const found = await noteId(here, ids);
    if (ids.size > maxFiles) return false;
    if (found?.isDirectory() !== true) continue;
    const folder = await tolerant(() => opendir(here));
    if (folder === undefined) continue;
    for await (const { name } of folder) waiting.push(join(here, name));
  }
  return true;
}

/**
 * Whether the path or a folder above it is one of these. `reused`: none is, but an id was that of a file which has been removed. A file with several
 * hard links counts as private where ids are missing.
 */
async function compare(
  real: string,
  { ids, isComplete }: FileIds,
  open: string | undefined,
): Promise<'private' | 'reused' | 'other'> {
  let isReused = false;
  for (let at = real; ; at = dirname(at)) {
    // The folders above are private, and it is not.
    if (at === open) break;
    const found = await tolerant(() => stat(at, { bigint: true }));
    const own = found && ids.get(idOf(found));
    if (found !== undefined && own !== undefined) {
      if (await isAt(own, idOf(found))) return 'private';
      isReused = true;
    }
    if (!isComplete && found?.isFile() === true && found.nlink > 1n) return 'private';
    if (dirname(at) === at) break;
  }
  return isReused ? 'reused' : 'other';
}

/** Whether a path, or what it links to, has this id now. */
async function isAt(path: string, id: string): Promise<boolean> {
  for (const read of [lstat, stat]) {
    const found = await tolerant(() => read(path, { bigint: true }));
    if (found !== undefined && idOf(found) === id) return true;
  }
  return false;
}

/** Whether the path that had this id still has it. Synchronous, for code that cannot wait; only files with a known id are looked up. */
function isNowAt(ids: ReadonlyMap<string, string>, id: string): boolean {
  const path = ids.get(id);
  if (path === undefined) return false;
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && idOf(found) === id;
}

const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
