import { type FileHandle, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findRealPath, isWithin, openReal } from '@agenthost/host/agent';
import { FileRefusal, refusalOf } from './file-refusal.ts';

/** A folder that files are read and written in for an agent. */
export interface ConfinedFolder {
  /** Absolute. */
  readonly path: string;
  /** Whether a real path is the host's own, though it lies in the folder. */
  isPrivate(realPath: string): Promise<boolean>;
}

/**
 * The real path of `asked`, absolute or relative to the working directory, whose end may not exist yet. Rejects with `FileRefusal` when that lies
 * outside [RES-2], is the host's own, or cannot be a path.
 */
export async function confinedPath(folder: ConfinedFolder, asked: string): Promise<string> {
  if (asked.includes('\0')) throw new FileRefusal(asked, 'has a NUL in it');
  // It would be written as another name than it was asked for.
  if (/\p{Cs}/u.test(asked)) throw new FileRefusal(asked, 'is no well-formed Unicode');
  try {
    const { path } = await findRealPath(resolve(folder.path, asked));
    if (isWithin(path, await realpath(folder.path))) {
      if (!(await folder.isPrivate(path))) return path;
      throw new FileRefusal(asked, 'is the host’s own, and closed to agents');
    }
  } catch (error) {
    throw refusalOf(error, asked);
  }
  throw new FileRefusal(asked, 'is outside the working directory');
}

/** Opens what `confinedPath` has found; rejects with `FileRefusal` when another thing stands there by now. */
export async function openConfined(
  path: string,
  asked: string,
  flags: number,
  way = path,
): Promise<FileHandle> {
  const file = await openReal(path, flags, way).catch((error: unknown) => {
    throw refusalOf(error, asked);
  });
  if (file === undefined) throw new FileRefusal(asked, 'has become another file meanwhile');
  return file;
}
