import { constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inFolder } from '@agenthost/host/agent';
import { type ConfinedFolder, confinedPath, openConfined } from '../working-files/confined-path.ts';
import { FileRefusal, refusalOf } from '../working-files/file-refusal.ts';
import { readWorkingFile } from '../working-files/read-file.ts';
import { writeWorkingFile } from '../working-files/write-file.ts';

/** Largest file that the demo agent reads, in bytes. */
const LIMIT_BYTES = 1024 * 1024;

/**
 * Files of one working directory. Nothing outside of it is read or written, also through symlinks. Methods
 * reject with `FileRefusal`.
 */
export class WorkingFolder {
  readonly #root: ConfinedFolder;

  constructor(root: ConfinedFolder) {
    this.#root = root;
  }

  /** Text of a file; `undefined` when it does not exist. */
  async read(path: string): Promise<string | undefined> {
    try {
      return await readWorkingFile(this.#root, path, LIMIT_BYTES);
    } catch (error) {
      if (error instanceof FileRefusal && error.isMissing) return undefined;
      throw error;
    }
  }

  /** Writes a file completely or not at all, and creates its folders. */
  write(path: string, text: string): Promise<void> {
    return writeWorkingFile(this.#root, path, text);
  }

  /** Sorted names in a folder; names of folders end with a slash. */
  async list(path: string): Promise<string[]> {
    const real = await confinedPath(this.#root, path);
    const folder = await openConfined(real, path, constants.O_DIRECTORY);
    try {
      const entries = await readdir(inFolder(folder, real), { withFileTypes: true });
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    } catch (error) {
      throw refusalOf(error, path);
    } finally {
      await folder.close();
    }
  }

  /** Absolute path with the person's spelling, for URIs. */
  pathOf(path: string): string {
    return resolve(this.#root.path, path);
  }
}
