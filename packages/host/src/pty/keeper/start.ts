import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorText } from '@agenthost/protocol/values';
import { PtyError } from '../pty.ts';
import type { RunningPtyOptions } from '../running/running-pty.ts';
import { ensureKeeperFolder, logPath, removeKeeperFiles } from './folder.ts';

/**
 * What a keeper gets of our environment: what Node itself may need. Nothing else, since it outlives us and must not hold
 * our secrets; each pty brings its own environment along.
 */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];

/**
 * What a keeper gets besides: the C library of most Linux systems then gives blocks of output back to the system once they are free
 * (`mallopt(3)`), which a process that ends with its last terminal alone would else hold for days. Others do not know these.
 */
const ALLOCATION = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' };

/** How long a keeper may take until it listens, in ms: a loaded machine is slow, a broken one never gets there. */
const START_LIMIT_MS = 15_000;

/** What a keeper is told when it is started, as JSON. */
export interface KeeperTask {
  /** Version that it gives in its hello. */
  readonly build: string;
  /** Limits of each of its ptys. */
  readonly limits: RunningPtyOptions;
}

/** Lines of a log that an error shows. */
const SHOWN_LINE_COUNT = 5;

/**
 * Starts a keeper process that has nothing of ours: a session of its own, no terminal, no working directory, no
 * handle of ours. Resolves when it listens. Rejects with `PtyError`, and the last lines of its log, when it does not.
 */
export async function startKeeper(folder: string, name: string, task: KeeperTask): Promise<void> {
  const log = openLog(folder, name);
  try {
    await untilReady(folder, name, task, log);
  } catch (error) {
    const lines = lastLines(logPath(folder, name));
    removeKeeperFiles(folder, name);
    const reason = errorText(error);
    throw new PtyError(['the keeper of terminals cannot be started:', reason, ...lines].join('\n').trim(), {
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
    throw new PtyError(`the keeper of terminals cannot be started in ${folder}: ${reason}`, { cause });
  }
}

/** The end of a log; that it is gone must not hide why it was looked at. */
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
    // From here on its end is told by its socket.
    child.removeAllListeners();
    child.unref();
  });
}

/** The keeper's program as this module is one: TypeScript from sources, JavaScript from a build. */
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
