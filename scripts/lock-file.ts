import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';

const POLL_MS = 500;

/**
 * Calls `work` while no other process works under the lock of the same path, and waits as long as one does. A lock whose process has ended is
 * removed.
 */
export async function withLockFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await isTaken(path))) {
    if (await isHeld(path)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    else await rm(path, { force: true });
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Takes the lock: a symbolic link to the process id, which is created with its content in one step. */
async function isTaken(path: string): Promise<boolean> {
  try {
    await symlink(String(process.pid), path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the process that took the lock is alive. */
async function isHeld(path: string): Promise<boolean> {
  try {
    process.kill(Number(await readlink(path)), 0);
    return true;
  } catch (error) {
    // The lock is free again, or its process has ended.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return false;
    throw error;
  }
}
