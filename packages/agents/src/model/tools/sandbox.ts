import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorText } from '@agenthost/protocol/values';

const run = promisify(execFile);
/** Time for a trial, in milliseconds. */
const TRIAL_LIMIT_MS = 5_000;

/** A sandbox that works on this machine, by these options of `bwrap`. */
export interface WorkingSandbox {
  readonly works: true;
  readonly options: readonly string[];
}

/** Whether commands can be confined on this machine, and why not. */
export type SandboxState = WorkingSandbox | { readonly works: false; readonly reason: string };

/** Everything can be read, nothing can be written. The devices are those of the machine, because the terminal is one. */
const BASE = ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--die-with-parent'];

/** What `root` could leave the sandbox by. Its other capabilities stay, because it works on files of other users. */
const FORBIDDEN = ['SYS_ADMIN', 'SYS_PTRACE', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_BOOT', 'MKNOD'];

/**
 * Ways to keep commands from the environments and files of other processes, such as the keys of the host: they do not see them, or, where a
 * container forbids the mount of `/proc`, the kernel refuses access from another user namespace.
 */
const ISOLATIONS = [
  ['--unshare-pid', '--proc', '/proc'],
  ['--unshare-user', '--unshare-pid', '--proc', '/proc'],
  ['--unshare-user'],
];

let trial: Promise<SandboxState> | undefined;

/** Tries `bwrap` once in the life of the process. Never rejects. */
export function sandboxState(): Promise<SandboxState> {
  trial ??= tryOut();
  return trial;
}

async function tryOut(): Promise<SandboxState> {
  if (process.platform !== 'linux') return { works: false, reason: 'it exists on Linux only' };
  const dropped = process.getuid?.() === 0 ? FORBIDDEN.flatMap((name) => ['--cap-drop', `CAP_${name}`]) : [];
  let reason = '';
  for (const isolation of ISOLATIONS) {
    const options = [...BASE, ...isolation, ...dropped];
    try {
      await run('bwrap', [...options, 'true'], { timeout: TRIAL_LIMIT_MS });
      return { works: true, options };
    } catch (error) {
      const text = errorText(error);
      if (text.includes('ENOENT'))
        return { works: false, reason: 'bwrap (package bubblewrap) is not installed' };
      reason = text.trim().split('\n').at(-1) ?? '';
    }
  }
  return { works: false, reason: `bwrap does not work here: ${reason}` };
}

/** What a sandbox shows. All paths are absolute. */
export interface SandboxPlaces {
  /** Options of the working sandbox. */
  readonly options: readonly string[];
  /** Working directories, which commands can write in. The first one is the current one. */
  readonly folders: readonly string[];
  /** `.git` folders of repositories whose worktrees are working directories. Commands can write in them, except in hooks and settings. */
  readonly gitFolders: readonly string[];
  /** Files and folders that commands do not see. */
  readonly hidden: readonly string[];
}

/** A command line in a shell that can write in the working directories and in a `/tmp` of its own, and does not see the hidden files. */
export async function sandboxed(
  command: string,
  { options, folders, gitFolders, hidden }: SandboxPlaces,
): Promise<readonly [string, ...string[]]> {
  const mounts: Mount[] = [
    ...folders.map((path) => ({ path, options: ['--bind', path, path] })),
    ...gitFolders.flatMap((path) => [
      { path, options: ['--bind', path, path] },
      // Git of a person would run what a command writes there.
      ...['hooks', 'config']
        .map((name) => `${path}/${name}`)
        .map((inside) => ({
          path: inside,
          options: ['--ro-bind-try', inside, inside],
        })),
    ]),
    ...(await Promise.all(hidden.map(coverOf))).filter((mount) => mount !== undefined),
  ];
  return [
    'bwrap',
    ...options,
    '--tmpfs',
    '/tmp',
    // A mount covers what was mounted below its path before, so the shorter path comes first: a worktree in the data folder can be written, a
    // data folder in the working directory is hidden.
    ...mounts.toSorted((a, b) => a.path.length - b.path.length).flatMap((mount) => mount.options),
    '--chdir',
    folders[0] ?? '/',
    '/bin/sh',
    '-c',
    command,
  ];
}

interface Mount {
  readonly path: string;
  readonly options: readonly string[];
}

/** An empty folder or file in place of the real one. `undefined` when there is none. */
async function coverOf(path: string): Promise<Mount | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  return { path, options: info.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path] };
}
