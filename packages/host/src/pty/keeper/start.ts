import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorText } from '@agenthost/protocol/values';
import { PtyError } from '../pty.ts';
import type { RunningPtyOptions } from '../running/running-pty.ts';
import { ensureKeeperFolder, logPath, removeKeeperFiles } from './folder.ts';

/**
 * The variables of the host's environment that a keeper gets: those that Node may need. A keeper outlives the host and must not hold its
 * secrets. Each pty has an environment of its own.
 */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];

/**
 * Further variables of a keeper: glibc then returns free blocks of output to the system (`mallopt(3)`). Otherwise a keeper, which may run for
 * days, would hold them. Other C libraries ignore them.
 */
const ALLOCATION = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' };

/** Timeout of the start of a keeper, in ms. Long, because a loaded machine is slow. */
const START_LIMIT_MS = 15_000;

/** The task argument of a keeper, as JSON. */
export interface KeeperTask {
  /** Version in its hello. */
  readonly build: string;
  /** Limits of each of its ptys. */
  readonly limits: RunningPtyOptions;
}

/** Lines of the log in an error. */
const SHOWN_LINE_COUNT = 5;

/**
 * Starts a keeper process in a session of its own, without the terminal, working directory and handles of the host. Resolves when it listens.
 * Rejects with `PtyError`, with the last lines of its log, when it does not.
 */
export async function startKeeper(folder: string, name: string, task: KeeperTask): Promise<void> {
  const log = openLog(folder, name);
  try {
    await untilReady(folder, name, task, log);
  } catch (error) {
    const lines = lastLines(logPath(folder, name));
    removeKeeperFiles(folder, name);
    const reason = errorText(error);
    throw new PtyError(['could not start the keeper of terminals:', reason, ...lines].join('\n').trim(), {
      cause: error,
    });
  } finally {
    closeSync(log);
  }
}

function openLog(folder: string, name: string): number {
  try {
    ensureKeeperFolder(folder);
    return openSync(logPath(folder, name), 'a', 0o600);
  } catch (cause) {
    const reason = errorText(cause);
    throw new PtyError(`could not start the keeper of terminals in ${folder}: ${reason}`, { cause });
  }
}

/** The end of the log. A log that cannot be read does not hide the error of the start. */
function lastLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-SHOWN_LINE_COUNT);
  } catch (error) {
    return [`(its log cannot be read: ${errorText(error)})`];
  }
}

function untilReady(folder: string, name: string, task: KeeperTask, log: number): Promise<void> {
  const child = spawn(process.execPath, [...entryArguments(), folder, name, JSON.stringify(task)], {
    cwd: '/',
    detached: true,
    env: { ...inherited(), ...ALLOCATION },
    stdio: ['ignore', log, log, 'pipe'],
  });
  const ready = child.stdio[3];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`it did not listen within ${START_LIMIT_MS} ms`));
  }, START_LIMIT_MS);
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`it ended at once (${signal ?? code})`)));
  if (ready instanceof Readable) ready.once('data', () => resolve());
  return promise.finally(() => {
    clearTimeout(timer);
    if (ready instanceof Readable) ready.destroy();
    // From here on its socket reports its end.
    child.removeAllListeners();
    child.unref();
  });
}

/** The program of the keeper: TypeScript when run from sources, JavaScript in a build. */
function entryArguments(): readonly string[] {
  if (import.meta.url.endsWith('.ts')) {
    return ['-C', '@agenthost/source', fileURLToPath(new URL('./main.ts', import.meta.url))];
  }
  return [fileURLToPath(new URL('./main.js', import.meta.url))];
}

function inherited(): Record<string, string> {
  const entries = INHERITED_VARIABLES.flatMap((variable): [string, string][] => {
    const value = process.env[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  return Object.fromEntries(entries);
}
