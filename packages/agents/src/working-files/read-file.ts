import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type ConfinedFolder, confinedPath, openConfined } from './confined-path.ts';
import { FileRefusal, refusalOf } from './file-refusal.ts';

/**
 * Reads the text of a regular file in the working directory. Rejects with `FileRefusal`. Never blocks, not
 * even on a named pipe.
 */
export async function readWorkingFile(
  workingDirectory: ConfinedFolder,
  asked: string,
  maxBytes: number,
): Promise<string> {
  const path = await confinedPath(workingDirectory, asked);
  const file = await openConfined(path, asked, constants.O_RDONLY);
  try {
    return await textOf(file, asked, maxBytes);
  } catch (error) {
    throw refusalOf(error, asked);
  } finally {
    await file.close();
  }
}

async function textOf(file: FileHandle, asked: string, maxBytes: number): Promise<string> {
  const info = await file.stat();
  if (!info.isFile()) throw new FileRefusal(asked, 'is not a file');
  if (info.size > maxBytes) throw new FileRefusal(asked, `is larger than ${maxBytes} bytes`);
  return file.readFile('utf8');
}
