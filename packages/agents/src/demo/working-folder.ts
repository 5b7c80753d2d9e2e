import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Largest file that the demo agent reads, in bytes. */
const limitBytes = 1024 * 1024;

/** A path that leads out of the working directory, or a file that cannot be used. The message is for people. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** Files of one working directory; nothing outside it is read or written, symlinks included. */
export class WorkingFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Text of a file; `undefined` when there is none. Throws `FolderError` when it lies outside or is too large. */
  async read(path: string): Promise<string | undefined> {
    const real = await this.#locate(path);
    const info = await lstat(real).catch(ignoreMissing);
    if (!info) return undefined;
    if (!info.isFile()) throw new FolderError(`${path} is not a file`);
    if (info.size > limitBytes)
      throw new FolderError(`${path} has ${info.size} bytes, more than ${limitBytes}`);
    return readFile(real, 'utf8');
  }

  /** Writes a file whole or not at all, with the folders that it needs. Throws `FolderError` outside. */
  async write(path: string, text: string): Promise<void> {
    const target = await this.#locate(path);
    await mkdir(dirname(target), { recursive: true });
    const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
    try {
      await writeFile(temporary, text, { flag: 'wx' });
      await rename(temporary, target);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw cause;
    }
  }

  /** Names in a folder, sorted, folders with a slash behind. */
  async list(path: string): Promise<string[]> {
    const entries = await readdir(await this.#locate(path), { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  }

  /** Where a path really leads; throws when that is outside. */
  async #locate(path: string): Promise<string> {
    const root = await realpath(this.#root);
    const wanted = resolve(root, path);
    const real = await realpathOfMissing(wanted);
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new FolderError(`${path} is outside the working directory`);
    }
    return real;
  }

  /** Absolute path as the person would write it, for URIs. */
  pathOf(path: string): string {
    return resolve(this.#root, path);
  }
}

/** The real path that a path would have, though its last components may not exist yet. */
async function realpathOfMissing(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    // A link that leads nowhere would be followed by a write: it is not "missing".
    if (await lstat(path).catch(ignoreMissing)) throw new FolderError(`${path} is a link that leads nowhere`);
    const parent = dirname(path);
    if (parent === path) throw cause;
    return join(await realpathOfMissing(parent), basename(path));
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

function ignoreMissing(cause: unknown): undefined {
  if (!isMissing(cause)) throw cause;
}
