import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const POLL_MS = 20;

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Pids of all keepers that hosts on a data folder have told of in their log, oldest first. */
export async function keeperPids(dataDir: string): Promise<readonly number[]> {
  const log = await readFile(join(dataDir, 'agenthost.log'), 'utf8');
  const pids = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { keeperPid?: number } => JSON.parse(line))
    .flatMap(({ keeperPid }) => (keeperPid === undefined ? [] : [keeperPid]));
  return [...new Set(pids)];
}

/** Ends what keepers of a data folder are left. */
export async function endKeepers(dataDir: string): Promise<void> {
  const pids = (await keeperPids(dataDir)).filter(isAlive);
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  for (const pid of pids) await until(`keeper ${pid} has ended`, () => !isAlive(pid));
}

/** Resolves when something is so; rejects when that takes longer than 30 s. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await pause(POLL_MS);
  }
}
