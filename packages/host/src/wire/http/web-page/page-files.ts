import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

/** A longer file is not served. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Limit of files in memory. Beyond it, the file that was read longest ago is dropped. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** A file in memory. All answers share its bytes, so that slow clients take no memory. */
export interface PageFile {
  readonly bytes: Buffer;
  /** Strong validator, with quotes. */
  readonly etag: string;
}

interface Cached extends PageFile {
  /** Size and time of the change. */
  readonly version: string;
}

/** Segments of letters, digits and `-._@+~` that do not begin with a dot. Everything else, escapes included, is not the name of a file. */
const NAME = /^(?:\/[\w@+~-][\w.@+~-]*)+$/;

/** The files of a folder. They are read when they are asked for, and again when they have changed. */
export class PageFiles {
  readonly #folder: string;
  readonly #cached = new Map<string, Cached>();
  #cachedBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The file at a path that begins with `/`; `undefined` when there is none. Symbolic links below the folder, hidden files and too long files
   * count as missing.
   */
  async find(path: string): Promise<PageFile | undefined> {
    if (!NAME.test(path)) return undefined;
    try {
      const expected = join(await realpath(this.#folder), path);
      if ((await realpath(expected)) !== expected) return undefined;
      const found = await stat(expected);
      if (!found.isFile() || found.size > MAX_FILE_BYTES) return undefined;
      const version = `${found.size} ${found.mtimeMs}`;
      const cached = this.#cached.get(path);
      return cached?.version === version ? cached : this.#keep(path, version, await readFile(expected));
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined;
      throw error;
    }
  }

  #keep(path: string, version: string, bytes: Buffer): PageFile {
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    this.#drop(path);
    this.#cached.set(path, { bytes, etag, version });
    this.#cachedBytes += bytes.length;
    while (this.#cachedBytes > MAX_CACHED_BYTES) this.#drop([...this.#cached.keys()][0] ?? '');
    return { bytes, etag };
  }

  #drop(path: string): void {
    this.#cachedBytes -= this.#cached.get(path)?.bytes.length ?? 0;
    this.#cached.delete(path);
  }
}
