import { type FileHandle, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findRealPath, isWithin, openReal } from '@agenthost/host';
import { FileRefusal, refusalOf } from './file-refusal.ts';

/**
 * The real path of `asked`, absolute or relative to the working directory, whose end may not exist yet. Rejects with `FileRefusal` when that lies
 * outside [RES-2], or cannot be a path.
 */
export async function confinedPath(workingDirectory: string, asked: string): Promise<string> {
  if (asked.includes('\0')) throw new FileRefusal(asked, 'has a NUL in it');
  // It would be written as another name than it was asked for.
  if (/\p{Cs}/u.test(asked)) throw new FileRefusal(asked, 'is no well-formed Unicode');
  try {
    const { path } = await findRealPath(resolve(workingDirectory, asked));
    if (isWithin(path, await realpath(workingDirectory))) return path;
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
