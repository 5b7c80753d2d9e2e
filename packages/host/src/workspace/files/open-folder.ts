import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { inFolder, openReal } from '../open-real.ts';

/** A folder that is held open: names in it stay valid when its own path leads elsewhere. */
export interface OpenFolder {
  /** Its real path when it was opened. */
  readonly path: string;
  readonly handle: FileHandle;
}

/** A path to a name in an open folder. Of links on the way only the last segment may be one. */
export const within = ({ handle, path }: OpenFolder, name: string): string =>
  join(inFolder(handle, path), name);

/** The path has another target than when it was checked. */
export class PathMoved extends Error {
  override readonly name = 'PathMoved';

  constructor() {
    super('the path leads elsewhere now');
  }
}

/**
 * Opens a real folder that was checked before, uses it and closes it. Rejects with `PathMoved` if the path leads elsewhere now, and with the
 * system's error: `ENOTDIR` for anything but a folder.
 */
export async function withFolder<T>(path: string, use: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const handle = await openFolder(path);
  try {
    return await use({ path, handle });
  } finally {
    await handle.close();
  }
}

async function openFolder(path: string): Promise<FileHandle> {
  try {
    const handle = await openReal(path, constants.O_RDONLY | constants.O_DIRECTORY);
    if (handle !== undefined) return handle;
  } catch (error) {
    // The code of a link is the same.
    if (!hasCode(error, 'ENOTDIR', 'ELOOP') || !(await lstat(path)).isSymbolicLink()) throw error;
  }
  throw new PathMoved();
}

/** The same for a folder in an open one. A link is not followed: `ENOTDIR`. */
export async function withSubfolder<T>(
  parent: OpenFolder,
  name: string,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const handle = await open(within(parent, name), FOLDER);
  try {
    return await use({ path: join(parent.path, name), handle });
  } finally {
    await handle.close();
  }
}

/** Opens a file in an open folder. A link is not followed: `ELOOP`. Does not block on a fifo. */
export const openFileIn = (folder: OpenFolder, name: string): Promise<FileHandle> =>
  open(within(folder, name), FILE);

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
