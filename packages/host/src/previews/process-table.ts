import { readdir, readFile, readlink } from 'node:fs/promises';

/** A running process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Id of its session of processes: the first process of a terminal has its own id there, and its descendants too. */
  readonly session: number;
  /** With the pid, identifies the process: ids are used again. */
  readonly start: string;
}

/** Processes whose files are read at the same time. */
const BATCH = 64;

/** All processes of this machine that this user may see. */
export async function processTable(): Promise<readonly ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries: ProcessEntry[] = [];
  for (let from = 0; from < pids.length; from += BATCH) {
    const batch = pids.slice(from, from + BATCH).map((pid) => readEntry(Number(pid)));
    for (const entry of await Promise.all(batch)) if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** A running process; `undefined` when it has ended. */
export async function readEntry(pid: number): Promise<ProcessEntry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain anything. The fields behind it are counted from `state`, field 3 of proc_pid_stat(5).
  const [state, parent, , session, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const start = fields[15];
  if (state === 'Z' || parent === undefined || session === undefined || start === undefined) return undefined;
  return { pid, parent: Number(parent), session: Number(session), start };
}

/** The value of a variable in the environment that a process was started with; `undefined` when it has none, or belongs to another user. */
export async function variableOf(pid: number, name: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const found = text.split('\0').find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** The arguments of a process; empty when it has ended. */
export async function commandLineOf(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').filter((part) => part !== '');
}

/** The folder that a process runs in; `undefined` when it has ended or belongs to another user. */
export const folderOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${pid}/cwd`).catch(() => undefined);

/** Inodes of the sockets among `wanted` that a process has open. */
export async function socketsOf(pid: number, wanted: ReadonlySet<string>): Promise<readonly string[]> {
  // A process of another user.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const found: string[] = [];
  for (let from = 0; from < files.length; from += BATCH) {
    const links = files
      .slice(from, from + BATCH)
      .map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => ''));
    for (const link of await Promise.all(links)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined && wanted.has(inode)) found.push(inode);
    }
  }
  return found;
}
