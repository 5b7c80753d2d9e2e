import { rm } from 'node:fs/promises';

/**
 * Removes the folder that processes of a test used. A shell that was hung up writes its history while its home is
 * removed, and then the folder is not empty when its turn comes: the removal is tried again.
 */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
