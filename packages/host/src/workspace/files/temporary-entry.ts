import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { hasCode } from '@agenthost/protocol/values';
import { type OpenFolder, within } from './open-folder.ts';

/** A temporary file that is older was left by a host that was killed. */
const ABANDONED_AFTER_MS = 60_000;

/** The name of a temporary file or folder. The same for the same final name, so that the next write finds what a killed host has left. */
export const temporaryName = (name: string, suffix = ''): string =>
  `.agenthost-${createHash('sha256').update(name).digest('hex').slice(0, 16)}${suffix}.tmp`;

/** A name that nothing has, for a second writer. */
export const otherTemporaryName = (name: string): string =>
  temporaryName(name, `-${randomBytes(4).toString('hex')}`);

/** A file that gets its final name when its content is complete and on disk. */
export class TemporaryFile {
  readonly handle: FileHandle;
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly #path: string;
  #isPlaced = false;

  private constructor(folder: OpenFolder, name: string, temporary: string, handle: FileHandle) {
    this.#folder = folder;
    this.#name = name;
    this.#path = within(folder, temporary);
    this.handle = handle;
  }

  /** Creates one beside its final `name`. Rejects with the system's error. */
  static async create(folder: OpenFolder, name: string, mode: number): Promise<TemporaryFile> {
    const usual = temporaryName(name);
    try {
      return new TemporaryFile(folder, name, usual, await open(within(folder, usual), 'wx', mode));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    await removeAbandoned(within(folder, usual));
    const other = otherTemporaryName(name);
    return new TemporaryFile(folder, name, other, await open(within(folder, other), 'wx', mode));
  }

  /** Writes the content to disk. Call it before `replace` or `add`. */
  async finish(): Promise<void> {
    await this.handle.sync();
  }

  /** Takes the place of the entry with the final name, whatever it is; a link is not followed. Fails with `EISDIR` for a folder. */
  async replace(): Promise<void> {
    await rename(this.#path, within(this.#folder, this.#name));
    this.#isPlaced = true;
    await this.#folder.handle.sync();
  }

  /** Takes the final name. Rejects with `EEXIST` if something has it. */
  async add(): Promise<void> {
    try {
      await link(this.#path, within(this.#folder, this.#name));
    } catch (error) {
      // A file system without hard links.
      if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
      if (await isThere(within(this.#folder, this.#name)))
        throw Object.assign(new Error('the name is taken'), { code: 'EEXIST' });
      return this.replace();
    }
    await rm(this.#path, { force: true });
    this.#isPlaced = true;
    await this.#folder.handle.sync();
  }

  /** Closes the file, and removes it if it has not got its name. */
  async close(): Promise<void> {
    await this.handle.close();
    if (!this.#isPlaced) await rm(this.#path, { force: true });
  }
}

async function removeAbandoned(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (found.isFile() && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Whether a path names anything, also a link to nothing. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
