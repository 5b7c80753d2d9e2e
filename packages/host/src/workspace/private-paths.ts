import type { BigIntStats } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { Log } from '../lib/log.ts';
import { findRealPath, isWithin, type RealPath } from './real-path.ts';

/** Limit of files and folders that are recognized under other names (hard links, mounts). */
const MAX_FILES = 10_000;

/** Lifetime of the cached file ids. */
const IDS_FOR_MS = 1_000;

/** The private files at one moment. */
export interface PrivateView {
  /** Whether a real path is private, or leads to the same file or folder. */
  covers(real: string): Promise<boolean>;
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
  #known: { readonly ids: Promise<FileIds>; readonly readAt: number } | undefined;
  #hasWarned = false;

  /**
   * Absolute paths. Each counts as soon as it exists.
   * @param options.now steady ms
   */
  constructor(
    paths: readonly string[],
    {
      log,
      now = () => performance.now(),
      maxFiles = MAX_FILES,
    }: { readonly log?: Log; readonly now?: () => number; readonly maxFiles?: number } = {},
  ) {
    this.#paths = [...new Set(paths)];
    this.#log = log;
    this.#now = now;
    this.#maxFiles = maxFiles;
  }

  /** Reads the current private files. File ids may be a second old. */
  async look(): Promise<PrivateView> {
    const roots: RealPath[] = [];
    for (const path of this.#paths) {
      const real = await tolerant(() => findRealPath(path));
      if (real !== undefined) roots.push(real);
    }
    return {
      covers: async (real) =>
        roots.some((root) => isWithin(real, root.path)) || (await isOneOf(real, await this.#ids(roots))),
    };
  }

  /** As `look`, for one path. */
  async covers(real: string): Promise<boolean> {
    return (await this.look()).covers(real);
  }

  #ids(roots: readonly RealPath[]): Promise<FileIds> {
    const now = this.#now();
    if (this.#known === undefined || now - this.#known.readAt >= IDS_FOR_MS)
      this.#known = { ids: this.#readIds(roots), readAt: now };
    return this.#known.ids;
  }

  async #readIds(roots: readonly RealPath[]): Promise<FileIds> {
    const found = { ids: new Set<string>(), isComplete: true };
    // All roots first, so that they are recognized even when a folder has more files than the limit.
    const existing = roots.filter(({ exists }) => exists).map(({ path }) => path);
    for (const path of existing) await noteId(path, found.ids);
    for (const path of existing) found.isComplete &&= await gather(path, found.ids, this.#maxFiles);
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

/** Device and inode of files and folders. */
interface FileIds {
  readonly ids: ReadonlySet<string>;
  /** Whether no file was left out. */
  readonly isComplete: boolean;
}

async function noteId(path: string, ids: Set<string>): Promise<BigIntStats | undefined> {
  const found = await tolerant(() => lstat(path, { bigint: true }));
  if (found !== undefined) ids.add(idOf(found));
  return found;
}

/** Notes a file, or a folder with all that is below it. Returns whether there was room for all. */
async function gather(path: string, ids: Set<string>, maxFiles: number): Promise<boolean> {
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const here = at;
    const found = await noteId(here, ids);
    if (ids.size > maxFiles) return false;
    if (found?.isDirectory() !== true) continue;
    const folder = await tolerant(() => opendir(here));
    if (folder === undefined) continue;
    for await (const { name } of folder) waiting.push(join(here, name));
  }
  return true;
}

/** Whether the path or a folder above it is one of these. A file with several hard links counts as one where ids are missing. */
async function isOneOf(real: string, { ids, isComplete }: FileIds): Promise<boolean> {
  for (let at = real; ; at = dirname(at)) {
    const found = await tolerant(() => stat(at, { bigint: true }));
    if (found !== undefined && ids.has(idOf(found))) return true;
    if (!isComplete && found?.isFile() === true && found.nlink > 1n) return true;
    if (dirname(at) === at) return false;
  }
}

const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** What the file system says against it counts as not there. */
async function tolerant<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
