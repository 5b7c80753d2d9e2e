import { type FileHandle, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findRealPath, isWithin, openReal } from '@agenthost/host/agent';
import { FileRefusal, refusalOf } from './file-refusal.ts';

/** The folders in which files are read and written for an agent. */
export interface ConfinedFolder {
  /** Absolute path. */
  readonly path: string;
  /** Absolute paths of further folders. Absent: none. */
  readonly more?: readonly string[] | undefined;
  /** Whether a real path inside the folder is private to the host. */
  isPrivate(realPath: string): Promise<boolean>;
}

/**
 * The real path of `asked`, which is absolute or relative to the working directory and may not exist yet.
 * Rejects with `FileRefusal` when it is outside [RES-2], private to the host, or not a valid path.
 */
export async function confinedPath(folder: ConfinedFolder, asked: string): Promise<string> {
  if (asked.includes('\0')) throw new FileRefusal(asked, 'contains a NUL character');
  // The file system would store another name.
  if (/\p{Cs}/u.test(asked)) throw new FileRefusal(asked, 'is not well-formed Unicode');
  try {
    const { path } = await findRealPath(resolve(folder.path, asked));
    if (await isInside(path, folder)) {
      if (!(await folder.isPrivate(path))) return path;
      throw new FileRefusal(asked, 'is private to the host; agents cannot use it');
    }
  } catch (error) {
    throw refusalOf(error, asked);
  }
  throw new FileRefusal(asked, 'is outside the working directory');
}

async function isInside(path: string, folder: ConfinedFolder): Promise<boolean> {
  if (isWithin(path, await realpath(folder.path))) return true;
  for (const more of folder.more ?? []) if (isWithin(path, await realpath(more))) return true;
  return false;
}

/** Opens the result of `confinedPath`. Rejects with `FileRefusal` when something else is there by now. */
export async function openConfined(
  path: string,
  asked: string,
  flags: number,
  way = path,
): Promise<FileHandle> {
  const file = await openReal(path, flags, way).catch((error: unknown) => {
    throw refusalOf(error, asked);
  });
  if (file === undefined) throw new FileRefusal(asked, 'was replaced by another file meanwhile');
  return file;
}
