import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorText } from '@agenthost/protocol/values';

const run = promisify(execFile);
/** Time for the trial, in milliseconds. */
const TRIAL_LIMIT_MS = 5_000;

/** Whether commands can be confined on this machine, and why not. */
export type SandboxState = { readonly works: true } | { readonly works: false; readonly reason: string };

let trial: Promise<SandboxState> | undefined;

/** Tries `bwrap` once in the life of the process. Never rejects. */
export function sandboxState(): Promise<SandboxState> {
  trial ??= tryOut();
  return trial;
}

async function tryOut(): Promise<SandboxState> {
  if (process.platform !== 'linux') return { works: false, reason: 'it exists on Linux only' };
  try {
    await run('bwrap', [...BASE, 'true'], { timeout: TRIAL_LIMIT_MS });
    return { works: true };
  } catch (error) {
    const [line = ''] = errorText(error).split('\n').slice(-2);
    return { works: false, reason: line === '' ? 'bwrap does not work here' : line };
  }
}

/** Everything can be read, nothing can be written. The devices are those of the machine, because the terminal is one. */
const BASE = ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--die-with-parent'];

/** A command line in a shell that can write in these folders and in a `/tmp` of its own, and cannot see the hidden ones. */
export function sandboxed(
  command: string,
  folders: { readonly writable: readonly string[]; readonly hidden: readonly string[] },
): readonly [string, ...string[]] {
  return [
    'bwrap',
    ...BASE,
    '--tmpfs',
    '/tmp',
    ...folders.hidden.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    ...folders.writable.flatMap((path) => ['--bind', path, path]),
    '--chdir',
    folders.writable[0] ?? '/',
    '/bin/sh',
    '-c',
    command,
  ];
}
