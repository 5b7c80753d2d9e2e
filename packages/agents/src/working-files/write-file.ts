import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inFolder } from '@agenthost/host/agent';
import { hasCode } from '@agenthost/protocol/values';
import { type ConfinedFolder, confinedPath, openConfined } from './confined-path.ts';
import { FileRefusal, refusalOf } from './file-refusal.ts';

/** Folders that one write creates at most; each is held open until the end. */
const MAX_NEW_FOLDERS = 64;

/**
 * Writes a file of the working directory completely or not at all: readers see the old text or the new one.
 * Missing folders are created, and removed again on failure. Every name is resolved within an open folder
 * whose location was checked, so that a link that appears meanwhile has no effect. Rejects with
 * `FileRefusal`.
 */
export async function writeWorkingFile(
  workingDirectory: ConfinedFolder,
  asked: string,
  text: string,
): Promise<void> {
  const path = await confinedPath(workingDirectory, asked);
  const way = new FolderWay(asked);
  try {
    const folder = await way.open(dirname(path));
    await replace(folder, basename(path), { asked, text });
    way.keep();
  } catch (error) {
    throw refusalOf(error, asked);
  } finally {
    await way.close();
  }
}

interface OpenFolder {
  readonly path: string;
  readonly handle: FileHandle;
}

const within = ({ handle, path }: OpenFolder, name: string): string => join(inFolder(handle, path), name);

/** The folders on the way to a file, starting with the deepest existing one, and those that were created. */
class FolderWay {
  readonly #asked: string;
  readonly #open: OpenFolder[] = [];
  #made: { readonly parent: OpenFolder; readonly name: string }[] = [];

  constructor(asked: string) {
    this.#asked = asked;
  }

  /** Opens the folder with this real path, and creates missing parents. */
  async open(path: string): Promise<OpenFolder> {
    const missing: string[] = [];
    let folder: OpenFolder | undefined;
    for (let at = path; folder === undefined; at = dirname(at)) {
      folder = await this.#openExisting(at);
      if (folder === undefined) missing.unshift(basename(at));
      if (missing.length > MAX_NEW_FOLDERS)
        throw new FileRefusal(this.#asked, `needs more than ${MAX_NEW_FOLDERS} new folders`);
    }
    for (const name of missing) folder = await this.#make(folder, name);
    return folder;
  }

  /** Keeps the created folders. */
  keep(): void {
    this.#made = [];
  }

  async close(): Promise<void> {
    try {
      // A folder that is no longer empty stays, and so do its parents.
      for (const { parent, name } of this.#made.toReversed()) await rmdir(within(parent, name));
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw refusalOf(error, this.#asked);
    } finally {
      await Promise.all(this.#open.map(({ handle }) => handle.close()));
    }
  }

  async #openExisting(path: string): Promise<OpenFolder | undefined> {
    try {
      return await this.#opened(path, path);
    } catch (error) {
      if (error instanceof FileRefusal && error.isMissing && dirname(path) !== path) return undefined;
      throw error;
    }
  }

  async #make(parent: OpenFolder, name: string): Promise<OpenFolder> {
    try {
      await mkdir(within(parent, name));
      this.#made.push({ parent, name });
    } catch (error) {
      // Created by another process; checked like any other.
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    return this.#opened(join(parent.path, name), within(parent, name));
  }

  async #opened(path: string, way: string): Promise<OpenFolder> {
    const handle = await openConfined(path, this.#asked, constants.O_DIRECTORY, way);
    const folder = { path, handle };
    this.#open.push(folder);
    return folder;
  }
}

async function replace(
  folder: OpenFolder,
  name: string,
  { asked, text }: { asked: string; text: string },
): Promise<void> {
  const path = within(folder, name);
  const mode = await modeOf(path, asked);
  const temporary = within(folder, `.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      // An existing file keeps mode bits that new files may not have.
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(text, 'utf8');
    } finally {
      await file.close();
    }
    // Replaces the existing entry and follows no link.
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Mode of the existing file; `undefined` when there is none. */
async function modeOf(path: string, asked: string): Promise<number | undefined> {
  try {
    const info = await lstat(path);
    if (!info.isFile()) throw new FileRefusal(asked, 'is not a file');
    return info.mode & 0o777;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
