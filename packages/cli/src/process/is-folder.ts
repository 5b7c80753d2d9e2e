import { stat } from 'node:fs/promises';

/** Whether a folder is there that can be looked at. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
