import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';

/**
 * Opens a real path that was checked before. `undefined` when the path leads elsewhere now, because a folder on the way became a link. Does not
 * block on a fifo. Rejects with the system's error: `ELOOP` when the last segment became a link. `way`: another path to the same file, such as
 * that of `inFolder`.
 */
export async function openReal(
  path: string,
  flags: number = constants.O_RDONLY,
  way = path,
): Promise<FileHandle | undefined> {
  const file = await open(way, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if ((await pathOfHandle(file, path)) === path) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** The real path of an open file, where the system reports it. */
async function pathOfHandle(file: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(inFolder(file, path)) : realpath(path);
}

/** A path to an open folder that stays valid when its own path changes; `path` where the system has none. */
export const inFolder = ({ fd }: FileHandle, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
