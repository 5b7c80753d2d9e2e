import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';

/**
 * Opens what a real path named when it was decided that it may be: `undefined` when the path leads elsewhere by now, for a folder on the way has
 * become a link. Nothing waits for a fifo's other end. Rejects with the system's error, `ELOOP` when the last name itself has become a link.
 * `way`: another path by which it is reached, such as that of `inFolder`.
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

/** Where an open file really is, as far as the system tells. */
async function pathOfHandle(file: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(inFolder(file, path)) : realpath(path);
}

/** A path by which an open folder is reached, whatever its own path leads to by now; `path` where the system has no such. */
export const inFolder = ({ fd }: FileHandle, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
