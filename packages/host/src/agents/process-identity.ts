import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/**
 * What tells a process from a later one with the same pid: on Linux the boot and the ticks at which it started
 * (`<boot id>/<ticks>`), elsewhere the start as `ps` prints it. `undefined` when no such process runs.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startTimeByPs(pid);
  const stat = await readStat(pid);
  // A zombie has ended; it only waits to be noticed.
  if (stat === undefined || stat.state === 'Z') return undefined;
  return `${await bootId()}/${stat.startTicks}`;
}

/**
 * Whether a process group that `leader` led has members left, although the leader may be gone. Only those count that
 * started on the same boot and not before the leader, so that a number used again is not taken for it.
 * @param leaderStart As `processStartTime` gave it.
 */
export async function hasGroupMembers(leader: number, leaderStart: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const [boot, ticks] = leaderStart.split('/');
  if (boot !== (await bootId())) return false;
  for (const stat of await allStats())
    if (stat.group === leader && stat.state !== 'Z' && stat.startTicks >= Number(ticks)) return true;
  return false;
}

/** Whether a process group has members that run; those that have ended and only wait to be noticed do not count. */
export async function isGroupRunning(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    // Nobody is left, which is the answer.
    return false;
  }
  if (process.platform !== 'linux') return true;
  for (const stat of await allStats()) if (stat.group === group && stat.state !== 'Z') return true;
  return false;
}

interface ProcessStat {
  readonly state: string;
  readonly group: number;
  readonly startTicks: number;
}

async function allStats(): Promise<readonly ProcessStat[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readStat(Number(pid))));
  return stats.filter((stat) => stat !== undefined);
}

async function readStat(pid: number): Promise<ProcessStat | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended, which is the answer.
    return undefined;
  }
  // The command is in parentheses and may hold anything, so fields are counted from the last one. The first after it
  // is field 3 (state); 5 is the group, 22 the start time: see proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, group, start] = [fields[0], fields[2], fields[19]];
  if (state === undefined || group === undefined || start === undefined) return undefined;
  return { state, group: Number(group), startTicks: Number(start) };
}

let knownBootId: Promise<string> | undefined;

function bootId(): Promise<string> {
  knownBootId ??= readFile('/proc/sys/kernel/random/boot_id', 'utf8').then((text) => text.trim());
  return knownBootId;
}

function startTimeByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // `ps` fails when there is no such process, which is the answer.
    execFile('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, stdout) => {
      const text = stdout.trim();
      resolve(text === '' ? undefined : text);
    });
  });
}
