import { type ExecFileException, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@agenthost/protocol/values';
import { sharedLook } from './shared-look.ts';

/** A session of processes: what one pty's first process and all that it started belong to, unless they left by `setsid`. */
export interface ProcessSession {
  /** Pid of the first process; the session has its number. */
  readonly leader: number;
  /** Device of the session's terminal, such as `/dev/ttys003`. */
  readonly device: string;
}

/** One process, as the system lists it. */
interface Listed {
  readonly group: number;
  readonly session: number;
  /** The group that the keys of its terminal go to; -1 without a terminal. */
  readonly foreground: number;
  /** It has ended, and its parent has not asked for the exit code yet. */
  readonly isZombie: boolean;
}

/** How often a session that was told to end is looked at. */
const POLL_MS = 25;
/** Files of `/proc` that are open at once while looking. */
const OPEN_FILE_COUNT = 64;

/**
 * Ends every process of a session: HUP and TERM (and CONT, so that stopped ones hear it), then KILL for what is left after
 * `graceMs` (default 2,000). Resolves with true as soon as no process is left, with false when some are `graceMs` after the KILL:
 * what is stuck in the kernel cannot be ended. Never rejects.
 */
export async function endSession(session: ProcessSession, graceMs = 2_000): Promise<boolean> {
  const known = new Set<number>();
  let isTold = false;
  /** Signals what there is; true when nothing is. */
  const send = async (signals: readonly NodeJS.Signals[]): Promise<boolean> => {
    const groups = await groupsOf(session, known);
    for (const group of groups) for (const signal of signals) sendToGroup(group, signal);
    isTold ||= groups.size > 0;
    // A process that has only just been forked leads no session yet.
    return groups.size === 0 && !isThere(session.leader);
  };
  const isOverAfter = async (signals: () => readonly NodeJS.Signals[]): Promise<boolean> => {
    for (let waitedMs = 0; waitedMs < graceMs; waitedMs += POLL_MS) {
      await delay(POLL_MS);
      if (await send(signals())) return true;
    }
    return false;
  };
  const gentle = ['SIGHUP', 'SIGTERM', 'SIGCONT'] as const;
  if (await send(gentle)) return true;
  if (await isOverAfter(() => (isTold ? [] : gentle))) return true;
  // Again at each look: a process may have been started between the look before and its signal.
  return isOverAfter(() => ['SIGKILL']);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends a signal to the foreground process group of the terminal whose session `leader` leads. Nothing when there is none. */
export function signalForeground(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === 'linux') {
    const listed = parseStat(readStat(leader));
    if (listed !== undefined) sendToGroup(listed.foreground > 0 ? listed.foreground : leader, signal);
    return;
  }
  execFile(
    'ps',
    ['-o', 'tpgid=', '-p', String(leader)],
    (error: ExecFileException | null, stdout: string) => {
      const group = Number.parseInt(stdout, 10);
      if (error === null) sendToGroup(group > 0 ? group : leader, signal);
    },
  );
}

/** The groups of the session that have a living process. `known` remembers them where the system forgets who belonged. */
async function groupsOf(session: ProcessSession, known: Set<number>): Promise<ReadonlySet<number>> {
  if (process.platform === 'linux') return linuxGroups(session.leader);
  for (const group of await terminalGroups(session.device)) known.add(group);
  for (const group of known) if (!(await hasMembers(group))) known.delete(group);
  return new Set(known);
}

async function linuxGroups(leader: number): Promise<ReadonlySet<number>> {
  const groups = new Set<number>();
  for (const { session, group, isZombie } of await linuxProcesses())
    if (session === leader && !isZombie) groups.add(group);
  return groups;
}

/** All processes. Shared: hundreds of terminals may be ended at once, and each session looks again and again. */
const linuxProcesses = sharedLook(async (): Promise<readonly Listed[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const processes: Listed[] = [];
  for (let from = 0; from < pids.length; from += OPEN_FILE_COUNT) {
    const files = pids.slice(from, from + OPEN_FILE_COUNT).map((pid) => `/proc/${pid}/stat`);
    // One that cannot be read has ended meanwhile.
    for (const stat of await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))) {
      const listed = parseStat(stat);
      if (listed !== undefined) processes.push(listed);
    }
  }
  return processes;
});

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}

/** Fields of `/proc/<pid>/stat` (proc(5)); the second, the name in brackets, may itself hold brackets and spaces. */
function parseStat(stat: string): Listed | undefined {
  const [state, , group, session, , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (foreground === undefined) return undefined;
  return {
    group: Number(group),
    session: Number(session),
    foreground: Number(foreground),
    isZombie: state === 'Z' || state === 'X',
  };
}

/** macOS lists no session ids, but each process's terminal, until the leader is gone. */
async function terminalGroups(device: string): Promise<readonly number[]> {
  const lines = await ps(['-t', basename(device), '-o', 'pgid=,stat=']);
  return lines.flatMap(([group, stat]) =>
    stat === undefined || stat.startsWith('Z') ? [] : [Number(group)],
  );
}

async function hasMembers(group: number): Promise<boolean> {
  const lines = await ps(['-A', '-o', 'pgid=,stat=']);
  return lines.some(
    ([listed, stat]) => Number(listed) === group && stat !== undefined && !stat.startsWith('Z'),
  );
}

function ps(args: readonly string[]): Promise<readonly (readonly string[])[]> {
  return new Promise((resolve) => {
    // It exits with 1 when it lists nothing.
    execFile('ps', [...args], (_error, stdout) => {
      resolve(stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/\s+/)])));
    });
  });
}

function sendToGroup(group: number, signal: NodeJS.Signals): void {
  // 0 and 1 are no groups of a session of ours, but "my own group" and "everything".
  if (group <= 1) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}
