import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { isFolder } from './files.ts';

/**
 * Creates a folder and its missing parents with this mode. Does nothing when it exists. Rejects with the system's error. (Node's recursive
 * `mkdir` never ends below an existing folder that accepts no entries, such as `/proc`.)
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(path))) throw error;
  }
}

/** Why a data folder cannot be created, and what to do, for messages. */
export function dataFolderTrouble(dataDir: string, cause: unknown): string {
  const problem = hasCode(cause, 'ENOTDIR', 'EEXIST')
    ? `${dataDir} is not a folder`
    : `the data folder ${dataDir} cannot be created (${errorText(cause)})`;
  return `${problem}: choose another folder with --data`;
}
