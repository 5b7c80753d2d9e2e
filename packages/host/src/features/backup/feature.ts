import { statSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BackupResult,
  type CheckHostResult,
  conflict,
  internalError,
  invalidParam,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { BackupError } from '../../journal/backup-error.ts';
import { type Journal, JournalError } from '../../journal/journal.ts';
import type { Clock } from '../../lib/clock.ts';
import { readTrouble } from '../../sync/journal-trouble.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';

/** Writes backups, and checks copies of databases. Loaded when first used. */
export interface BackupTools {
  /** Rejects with `BackupError`, or with the signal's reason. */
  write(request: {
    readonly dataDir: string;
    readonly file: string;
    readonly force: boolean;
    readonly version: string;
    readonly now: number;
    readonly signal: AbortSignal;
    copyTo(file: string, signal: AbortSignal): Promise<void>;
  }): Promise<BackupResult>;
  /** Checks a database. `unreadable`: why the file could not be checked. */
  check(file: string): Promise<{ readonly fault?: string; readonly unreadable?: string }>;
}

interface Parts {
  readonly tools: BackupTools;
  readonly sync: Sync;
  readonly clock: Clock;
  /** Absent: the host has no data folder, and cannot be backed up. */
  readonly dataDir: string | undefined;
  /** Version of this agenthost. */
  readonly version: string;
  /** Time of the newest envelope at start, ms since the epoch. */
  readonly lastTime: number;
}

/** `x-backup` and `x-checkHost`: each copies the database while the host runs, one at a time. */
export function backupFeature({ tools, sync, clock, dataDir, version, lastTime }: Parts): Feature {
  const ending = new AbortController();
  let running: Promise<unknown> | undefined;
  /** Runs one copy at a time, until the host stops. */
  const alone = async <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (running !== undefined) throw conflict('The host is already copying its database: try again later');
    const made = work(AbortSignal.any([signal, ending.signal]));
    running = made.catch(() => undefined);
    try {
      return await made;
    } catch (error) {
      throw ending.signal.aborted ? conflict('The host stops') : wireError(error);
    } finally {
      running = undefined;
    }
  };
  const copyTo = async (file: string, signal: AbortSignal): Promise<void> => {
    await sync.path.drain();
    await sync.journal.copyTo?.(file, signal);
  };
  const hasCopies = sync.journal.copyTo !== undefined;
  return {
    name: 'backup',
    commands: {
      'x-backup': async ({ file, force = false }, _caller, signal) => {
        if (dataDir === undefined) throw conflict('The host has no data folder that could be backed up');
        if (!hasCopies)
          throw conflict(
            'The sessions are in PostgreSQL: back up that database with pg_dump, and the data folder with a copy',
          );
        return alone(signal, (aborted) =>
          tools.write({ dataDir, file, force, version, now: clock.now(), signal: aborted, copyTo }),
        );
      },
      'x-checkHost': async ({ skipDatabase = false }, _caller, signal): Promise<CheckHostResult> => {
        const clockMovedMs = Math.round(Date.now() - performance.timeOrigin - performance.now());
        const refusesChanges = sync.path.refusal;
        const facts = {
          ...{ node: process.version, pid: process.pid, now: clock.now(), lastTime, clockMovedMs },
          ...defined({ refusesChanges, dataDir }),
        };
        if (skipDatabase) return facts;
        if (dataDir === undefined) return { ...facts, unchecked: 'the host has no data folder' };
        if (!hasCopies) return { ...facts, databaseServer: await checkServer(sync.journal) };
        // A copy would fail for the same reason.
        if (refusesChanges !== undefined) return { ...facts, unchecked: refusesChanges };
        return alone(signal, async (aborted) => ({
          ...facts,
          ...(await checkCopy(tools, dataDir, (file) => copyTo(file, aborted))),
        }));
      },
    },
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

/** Queries the database server of the journal. */
async function checkServer(journal: Journal): Promise<NonNullable<CheckHostResult['databaseServer']>> {
  try {
    const found = await journal.checkServer?.();
    if (found === undefined) return { name: 'PostgreSQL' };
    const { isHeld, ...facts } = found;
    if (isHeld) return facts;
    return { ...facts, fault: `another host holds the cell ${found.cell}, or the database was restored` };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { name: 'PostgreSQL', fault: readTrouble(error) };
  }
}

/** Checks a copy of the database, and removes the copy. */
async function checkCopy(
  tools: BackupTools,
  dataDir: string,
  copyTo: (file: string) => Promise<void>,
): Promise<Pick<CheckHostResult, 'database' | 'unchecked'>> {
  const { size } = statSync(join(dataDir, 'journal.db'));
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < 2 * size)
    return { unchecked: `not enough disk space in ${dataDir} for a copy of the database` };
  const folder = await mkdtemp(join(dataDir, 'backup-'));
  try {
    const copy = join(folder, 'journal.db');
    await copyTo(copy);
    const { fault, unreadable } = await tools.check(copy);
    if (unreadable !== undefined) return { unchecked: unreadable };
    return { database: { bytes: statSync(copy).size, ...(fault === undefined ? {} : { fault }) } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The wire error for a mistake of the client or a failure of the host. */
function wireError(error: unknown): unknown {
  if (!(error instanceof BackupError)) return error;
  if (error.code === 'target') return invalidParam('file', error.message);
  return error.code === 'inUse' ? conflict(error.message) : internalError(error.message, error);
}
