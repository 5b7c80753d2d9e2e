import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const POLL_MS = 20;

/** Whether a process runs. A zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The state follows the command name, which is in parentheses and may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** Pids of all keepers in the log of a data folder's hosts, oldest first. */
export async function keeperPids(dataDir: string): Promise<readonly number[]> {
  const log = await readFile(join(dataDir, 'agenthost.log'), 'utf8');
  const pids = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { keeperPid?: number } => JSON.parse(line))
    .flatMap(({ keeperPid }) => (keeperPid === undefined ? [] : [keeperPid]));
  return [...new Set(pids)];
}

/** Kills the remaining keepers of a data folder. */
export async function endKeepers(dataDir: string): Promise<void> {
  const pids = (await keeperPids(dataDir)).filter(isAlive);
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  for (const pid of pids) await until(`keeper ${pid} has ended`, () => !isAlive(pid));
}

/** Resolves when the condition holds. Rejects after 30 s. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await pause(POLL_MS);
  }
}
