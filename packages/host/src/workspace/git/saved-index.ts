import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, hasCode } from '@agenthost/protocol/values';
import { type GitTree, read } from './git-tree.ts';

/** The index of a repository as it was, so that a refused commit leaves it so. */
export class SavedIndex {
  readonly #tree: GitTree;
  readonly #path: string;
  readonly #before: Buffer | undefined;
  /** Time of the index, in whole seconds since the epoch. */
  readonly #savedAt: number;
  /** The entries of the index that this host has made. */
  #after: string | undefined;

  private constructor(tree: GitTree, path: string, before: Buffer | undefined, savedAt: number) {
    this.#savedAt = savedAt;
    this.#tree = tree;
    this.#path = path;
    this.#before = before;
  }

  /** Reads the index. */
  static async of(tree: GitTree): Promise<SavedIndex> {
    const path = join(tree.repository.gitDir, 'index');
    // The time first: if the index changes in between, it is only too old.
    const savedAt = await timeOf(path);
    return new SavedIndex(tree, path, await contentOf(path), savedAt);
  }

  /** Notes the index that this host has made. Only that one is replaced. */
  async changed(): Promise<void> {
    this.#after = await this.#entries();
  }

  /** A hash of the entries. git writes the file again, without other entries, before it runs a hook. */
  async #entries(): Promise<string> {
    const { stdout } = await read(this.#tree, ['ls-files', '--stage', '-z']);
    return createHash('sha256').update(stdout).digest('hex');
  }

  /** Puts the index back, under git's own lock. Does nothing if another program has changed it since or holds the lock. */
  async restore(): Promise<void> {
    if (this.#after === undefined) return;
    const lock = `${this.#path}.lock`;
    try {
      await (await open(lock, 'wx')).close();
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOENT')) return;
      throw error;
    }
    try {
      if ((await this.#entries()) !== this.#after) return;
      if (this.#before === undefined) {
        await rm(this.#path);
        return;
      }
      // Permissions of a shared repository stay.
      const { mode } = await stat(this.#path);
      const file = await open(lock, 'w');
      try {
        await file.writeFile(this.#before);
        await file.chmod(mode & 0o777);
        // git compares the content of files that are not older than the index. A newer time would hide their changes.
        await file.utimes(this.#savedAt, this.#savedAt);
      } finally {
        await file.close();
      }
      await rename(lock, this.#path);
    } finally {
      await rm(lock, { force: true });
    }
  }
}

/** 0: there is none yet. */
async function timeOf(path: string): Promise<number> {
  try {
    return Math.floor((await stat(path)).mtimeMs / 1_000);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}

/** `undefined`: there is none yet. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
