import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, opendir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  alreadyExists,
  type DirectoryEntry,
  folderNotFound,
  invalidParams,
  type ResourceListResult,
} from '@agenthost/protocol';
import { errorCode, hasCode } from '@agenthost/protocol/values';
import type { AccessPolicy } from './access/access-policy.ts';
import type { Asker } from './access/grants.ts';
import { fileUriOf, pathOfFileUri } from './file-uri.ts';
import { inFolder, openReal } from './open-real.ts';
import { findRealPath } from './real-path.ts';
import { toWireError } from './resources.ts';

/** Limit of entries in an answer. */
const MAX_ENTRIES = 5_000;
/** Limit of entries that are read, so that folders are found among many files. */
const MAX_READ = 100_000;
/** Links whose targets are read together. */
const LINKS_AT_ONCE = 32;

/** Options of `Folders`. */
export interface FoldersOptions {
  readonly policy: AccessPolicy;
  /** `file:` URI for an empty URI. It may be outside of the roots. */
  readonly defaultDirectory: string;
  /** Limit of entries in an answer. Default 5,000. */
  readonly maxEntries?: number;
}

/**
 * Lists and makes folders for pickers of clients [RES-1] [RES-2]: within the roots and the working directories of sessions, and anywhere for admins,
 * but never in private folders of the host. All decisions use real paths.
 */
export class Folders {
  readonly #options: FoldersOptions;

  constructor(options: FoldersOptions) {
    this.#options = options;
  }

  /**
   * Lists a folder. Rejects with `-32602` for an invalid URI or a file, `-32009` outside (whether it exists or not), and `-32008` if it does not
   * exist.
   */
  async list(uri: string, asker: Asker): Promise<ResourceListResult> {
    const { defaultDirectory, maxEntries = MAX_ENTRIES } = this.#options;
    const asked = uri === '' ? defaultDirectory : uri;
    const given = pathOfFileUri(asked);
    try {
      const real = await findRealPath(given);
      await this.#options.policy.check(asked, real.path, 'look', {
        ...asker,
        isAdmin: asker.isAdmin || uri === '',
      });
      if (!real.exists) throw folderNotFound(asked);
      const folder = await openFolder(real.path);
      if (folder === undefined) throw this.#options.policy.outside(asked, 'look');
      try {
        const { entries, hasMore } = await readEntries(inFolder(folder, real.path), maxEntries);
        return { entries, 'x-uri': fileUriOf(given), ...(hasMore ? { 'x-more': true } : {}) };
      } finally {
        await folder.close();
      }
    } catch (error) {
      throw hasCode(error, 'ENOTDIR')
        ? invalidParams(`${JSON.stringify(asked)} is a file: only directories can be listed`)
        : toWireError(error, asked);
    }
  }

  /** Makes a folder and the missing ones above it. Rejects with `-32010` if a file is in its place, and otherwise as `list`. */
  async make(uri: string, asker: Asker): Promise<void> {
    const given = pathOfFileUri(uri);
    try {
      const real = await findRealPath(given);
      await this.#options.policy.check(uri, real.path, 'make', asker);
      const parent = real.exists ? real.path : await existingParent(real.path);
      const folder = await openFolder(parent);
      if (folder === undefined) throw this.#options.policy.outside(uri, 'make');
      try {
        await mkdir(join(inFolder(folder, parent), relative(parent, real.path)), { recursive: true });
      } finally {
        await folder.close();
      }
    } catch (error) {
      throw hasCode(error, 'ENOTDIR', 'EEXIST') ? alreadyExists('file', uri) : toWireError(error, uri);
    }
  }
}

/** Rejects with `ENOTDIR` for anything but a folder. `undefined`: the path now has another target. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  try {
    return await openReal(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    // The code of a link is the same.
    if (hasCode(error, 'ENOTDIR') && (await lstat(path)).isSymbolicLink()) return undefined;
    throw error;
  }
}

/** The deepest existing folder above a real path that does not exist. */
async function existingParent(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at))
    if (dirname(at) === at || (await findRealPath(at)).exists) return at;
}

async function readEntries(
  path: string,
  maxEntries: number,
): Promise<{ readonly entries: DirectoryEntry[]; readonly hasMore: boolean }> {
  const folders: DirectoryEntry[] = [];
  const files: DirectoryEntry[] = [];
  const links: string[] = [];
  let hasMore = false;
  let count = 0;
  for await (const entry of await opendir(path, { bufferSize: 512 })) {
    count += 1;
    const isKept = entry.isSymbolicLink()
      ? addTo(links, entry.name, maxEntries)
      : addTo(entry.isDirectory() ? folders : files, plain(entry), maxEntries);
    if (!isKept) hasMore = true;
    if (count < MAX_READ) continue;
    hasMore = true;
    break;
  }
  for (let at = 0; at < links.length; at += LINKS_AT_ONCE) {
    const some = links.slice(at, at + LINKS_AT_ONCE);
    for (const link of await Promise.all(some.map((name) => followed(path, name))))
      (link.type === 'directory' ? folders : files).push(link);
  }
  const all = [...folders.toSorted(byName), ...files.toSorted(byName)];
  return { entries: all.slice(0, maxEntries), hasMore: hasMore || all.length > maxEntries };
}

function addTo<T>(list: T[], item: T, max: number): boolean {
  if (list.length >= max) return false;
  list.push(item);
  return true;
}

const plain = (entry: Dirent): DirectoryEntry => ({
  name: entry.name,
  type: entry.isDirectory() ? 'directory' : 'file',
});

/** A link with the kind of its target. One without a target counts as a file. */
async function followed(folder: string, name: string): Promise<DirectoryEntry> {
  const isFolder = await stat(join(folder, name)).then(
    (target) => target.isDirectory(),
    (error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      return false;
    },
  );
  return { name, type: isFolder ? 'directory' : 'file', 'x-isLink': true };
}

const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const byName = (a: DirectoryEntry, b: DirectoryEntry): number =>
  compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
