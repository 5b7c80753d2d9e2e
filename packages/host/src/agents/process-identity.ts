import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/**
 * Identifies a process so that a later one with the same pid is not mistaken for it: on Linux boot and start
 * time in ticks (`<boot id>/<ticks>`), elsewhere the start time printed by `ps`. `undefined` when no such
 * process runs.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startTimeByPs(pid);
  const stat = await readStat(pid);
  // A zombie has ended and is not reaped yet.
  if (stat === undefined || stat.state === 'Z') return undefined;
  return `${await bootId()}/${stat.startTicks}`;
}

/**
 * Whether a process group still has members, even if its leader has ended. Counts only processes that started on the same boot and not before the
 * leader, so that a reused id does not match.
 * @param leaderStart Result of `processStartTime`.
 */
export async function hasGroupMembers(leader: number, leaderStart: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const [boot, ticks] = leaderStart.split('/');
  if (boot !== (await bootId())) return false;
  for (const stat of await allStats())
    if (stat.group === leader && stat.state !== 'Z' && stat.startTicks >= Number(ticks)) return true;
  return false;
}

/**
 * Whether a process group has running members. Processes that have ended and are not reaped yet do not count.
 */
export async function isGroupRunning(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    // The group has no processes.
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
    // The process has ended.
    return undefined;
  }
  // The command is in parentheses and may contain anything, so fields are counted from the last parenthesis.
  // The first one after it is field 3 (state); field 5 is the group, field 22 the start time. See proc(5).
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
    // `ps` fails when the process does not exist.
    execFile('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, stdout) => {
      const text = stdout.trim();
      resolve(text === '' ? undefined : text);
    });
  });
}
