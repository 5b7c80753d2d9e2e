import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LockHeld, lockFile } from '../process/lock-file.ts';
import { makeFolder } from '../process/make-folder.ts';
import { writeWhole } from '../process/write-whole.ts';
import { processStart } from './discovery.ts';

/** Time for other commands to finish their changes. */
const LOCK_PATIENCE_MS = 10_000;
const LOCK_INTERVAL_MS = 25;

/**
 * Changes a file that only this user can read, while no other command does. `edit` reads the file and resolves with its new text. The file is written whole,
 * and its folder is made. Rejects with the system's error, with `LockHeld`, or with what `edit` rejects with.
 */
export async function changeFile(file: string, edit: () => Promise<string>): Promise<void> {
  await makeFolder(dirname(file), 0o700);
  const release = await locked(`${file}.lock`);
  try {
    await writeWhole(file, await edit(), 0o600);
  } finally {
    await release();
  }
}

async function locked(file: string): Promise<() => Promise<void>> {
  for (const end = performance.now() + LOCK_PATIENCE_MS; ; await wait(LOCK_INTERVAL_MS)) {
    try {
      const lock = await lockFile(file, { pid: process.pid, startOf: processStart });
      return () => lock.release();
    } catch (error) {
      if (!(error instanceof LockHeld) || performance.now() > end) throw error;
    }
  }
}
