import { closeSync, fdatasync, openSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isLocked } from './errors.ts';

/**
 * Pages that SQLite copies at a time, in another thread. The database waits for each step: about 1 ms for 200 kB.
 */
const PAGES = 50;

/**
 * Steps between two calls that sync the copy. SQLite syncs it at the end, and commits wait for that: with 400 MB of unwritten pages for 0.6 to 0.8 s,
 * with few of them for 0.1 s.
 */
const SYNC_STEPS = 50;

/** SQLite refuses the first step of a copy while a transaction of the connection is open. */
const ATTEMPTS = 1_000;

/**
 * Copies a database to a new file with SQLite's online backup, while the connection reads and writes. The copy has the state of a single moment. Rejects
 * with the reason of `signal`, or with SQLite's error.
 */
export async function copyDatabase(database: DatabaseSync, file: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await copyOnce(database, file, signal);
    } catch (error) {
      if (!isRefused(error) || attempt === ATTEMPTS) throw error;
    }
    await nextTurn();
  }
}

/** Whether the first step was refused. Node then reports the code of the copy's connection, which is 0 because only the other one was busy. */
const isRefused = (error: unknown): boolean =>
  isLocked(error) || (error instanceof Error && 'errcode' in error && error.errcode === 0);

async function copyOnce(database: DatabaseSync, file: string, signal: AbortSignal): Promise<void> {
  const handle = openSync(file, 'a', 0o600);
  let steps = 0;
  let syncing: Promise<void> | undefined;
  try {
    await backup(database, file, {
      rate: PAGES,
      progress: () => {
        signal.throwIfAborted();
        steps += 1;
        if (steps % SYNC_STEPS !== 0 || syncing !== undefined) return;
        syncing = new Promise((resolve) =>
          // SQLite syncs the whole file itself, and reports a failure.
          fdatasync(handle, () => {
            syncing = undefined;
            resolve();
          }),
        );
      },
    });
  } finally {
    await syncing;
    closeSync(handle);
  }
  signal.throwIfAborted();
}
