import { stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';

const ENTER = 0o001;
const READ = 0o004;

/**
 * The first of these paths that users without special rights cannot read or enter; `undefined` if there is none. Ignores words that are no absolute
 * path, and paths that do not exist.
 */
export async function findPrivate(words: readonly string[]): Promise<string | undefined> {
  for (const word of words) if (isAbsolute(word) && (await isPrivate(word, READ))) return word;
  return undefined;
}

async function isPrivate(path: string, needed: number): Promise<boolean> {
  const parent = dirname(path);
  if (parent !== path && (await isPrivate(parent, ENTER))) return true;
  try {
    return ((await stat(path)).mode & needed) === 0;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
