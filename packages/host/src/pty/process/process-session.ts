import { type ExecFileException, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@agenthost/protocol/values';

/** A session of processes: the first process of a pty and its descendants, unless they left by `setsid`. */
export interface ProcessSession {
  /** Process id of the session leader; also the id of the session. */
  readonly leader: number;
  /** Device of the terminal of the session, such as `/dev/ttys003`. */
  readonly device: string;
}

/** A process in the list of the system. */
interface Listed {
  readonly group: number;
  readonly session: number;
  /** The foreground process group of its terminal; -1 without a terminal. */
  readonly foreground: number;
  /** The process has ended, and its parent has not read the exit code. */
  readonly isZombie: boolean;
}

/** Interval of checks of a session that is ending. */
const POLL_MS = 25;
/** Limit of open files of `/proc`. */
const OPEN_FILE_COUNT = 64;

/**
 * Ends every process of a session: sends HUP, TERM and, for stopped processes, CONT, then KILL after `graceMs` (default 2,000). Resolves with
 * true when no process is left. Resolves with false when one is left `graceMs` after the KILL, because a process that is stuck in the
 * kernel cannot be ended. Never rejects.
 */
export async function endSession(session: ProcessSession, graceMs = 2_000): Promise<boolean> {
  const known = new Set<number>();
  let isTold = false;
  /** Signals the processes of the session. Resolves with true when there is none. */
  const send = async (signals: readonly NodeJS.Signals[]): Promise<boolean> => {
    const groups = await groupsOf(session, known);
    for (const group of groups) for (const signal of signals) sendToGroup(group, signal);
    isTold ||= groups.size > 0;
    // A process that was just forked does not lead a session yet.
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
  // At each check, because a process may have started between the last check and its signal.
  return isOverAfter(() => ['SIGKILL']);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends a signal to the foreground process group of the terminal of the session that `leader` leads, if there is one. */
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

/** The process groups of the session with a running process. `known` keeps groups that the system no longer lists under the session. */
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

/** Lists all processes. Shared, because hundreds of terminals may end at once, and each session checks repeatedly. */
const linuxProcesses = sharedLook(async (): Promise<readonly Listed[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const processes: Listed[] = [];
  for (let from = 0; from < pids.length; from += OPEN_FILE_COUNT) {
    const files = pids.slice(from, from + OPEN_FILE_COUNT).map((pid) => `/proc/${pid}/stat`);
    // A process whose file cannot be read has ended.
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

/** Fields of `/proc/<pid>/stat` (proc(5)). The second field, the name in parentheses, may contain parentheses and spaces. */
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

/** macOS lists no session ids. It lists the terminal of each process until the leader has ended. */
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
    // `ps` exits with 1 when it lists no process.
    execFile('ps', [...args], (_error, stdout) => {
      resolve(stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/\s+/)])));
    });
  });
}

function sendToGroup(group: number, signal: NodeJS.Signals): void {
  // 0 and 1 mean "my own group" and "every process", and never a group of the session.
  if (group <= 1) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/**
 * Shares a costly read among callers. One `look` runs at a time. A call during a running `look` gets the result of the next one, because
 * the running one may have read an older state. Rejects as `look` does.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const result = look();
    running = result;
    const over = (): void => {
      if (running === result) running = undefined;
    };
    result.then(over, over);
    return result;
  };
  const afterwards = (): Promise<T> => {
    next = undefined;
    return begin();
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    next = running.then(afterwards, afterwards);
    return next;
  };
}
