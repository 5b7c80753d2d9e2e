import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { errorText } from '@agenthost/protocol/values';
import { markedEnvironment } from '../../../agents/process-mark.ts';
import type { ChildRegistry } from '../../../agents/provider.ts';
import type { Timers } from '../../../lib/clock.ts';

/** Time between TERM and KILL, and time to read the pipes after the exit: a grandchild may hold them open. Milliseconds. */
const GRACE_MS = 2_000;
/** Bytes of each output that are kept. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * A shell command that reads a line and then executes the hook. A host that is killed before it has recorded the process never writes the line,
 * so that no unrecorded hook is left.
 */
const GATE = 'read -r go && unset go && exec /bin/sh -c "$0"';

/** Variables of the host that hooks get. Tokens of the host are not among them. */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** How a hook is run. */
export interface HookStart {
  /** For the shell. */
  readonly command: string;
  readonly limitMs: number;
  /** Absolute path. */
  readonly cwd: string;
  /** Variables besides the usual ones of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input: JSON. */
  readonly input: string;
  /** Ends the hook. */
  readonly signal: AbortSignal;
  readonly children: ChildRegistry;
  readonly timers: Timers;
}

/** How a hook has ended. Each output is cut to its first 64 KiB. */
export interface HookResult {
  readonly stdout: string;
  readonly stderr: string;
  /** `undefined`: it did not exit by itself. */
  readonly exitCode: number | undefined;
  /** Why it did not exit by itself, in words. */
  readonly trouble?: string;
}

/** Runs the command of a hook in a process group of its own, which ends with it. Never rejects. */
export async function runHookCommand(start: HookStart): Promise<HookResult> {
  const { command, cwd, env, signal } = start;
  const nothing = { stdout: '', stderr: '', exitCode: undefined };
  if (signal.aborted) return { ...nothing, trouble: 'the turn has ended' };
  try {
    const child = spawn('/bin/sh', ['-c', GATE, command], {
      cwd,
      env: markedEnvironment({ ...inherited(), ...env }),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return await follow(child, start);
  } catch (error) {
    return { ...nothing, trouble: `it could not be started: ${errorText(error)}` };
  }
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Rejects if the process does not start. */
async function follow(child: ChildProcessWithoutNullStreams, start: HookStart): Promise<HookResult> {
  const { children, timers, signal, limitMs } = start;
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  // A hook may exit without reading its input.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  const exited = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? undefined));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    throw new Error('it has no process id');
  }
  let trouble: string | undefined;
  const cancels: (() => void)[] = [];
  const end = (why: string): void => {
    if (trouble !== undefined) return;
    trouble = why;
    signalGroup(pid, 'SIGTERM');
    cancels.push(timers.after(GRACE_MS, () => signalGroup(pid, 'SIGKILL')));
  };
  const abort = (): void => end('the turn has ended');
  signal.addEventListener('abort', abort, { once: true });
  cancels.push(timers.after(limitMs, () => end(`it ran longer than ${limitMs / 1_000} s`)));
  try {
    await children.record({ pid, command: '/bin/sh' });
    if (!signal.aborted) child.stdin.end(`\n${start.input}\n`);
    const code = await exited;
    // What it has left behind in its group ends with it.
    signalGroup(pid, 'SIGTERM');
    cancels.push(
      timers.after(GRACE_MS, () => {
        signalGroup(pid, 'SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
      }),
    );
    await closed;
    const outputs = { stdout: stdout(), stderr: stderr() };
    if (trouble !== undefined) return { ...outputs, exitCode: undefined, trouble };
    return code === undefined
      ? { ...outputs, exitCode: undefined, trouble: 'a signal has ended it' }
      : { ...outputs, exitCode: code };
  } finally {
    signal.removeEventListener('abort', abort);
    for (const cancel of cancels) cancel();
    // Only when the process could not be recorded.
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, 'SIGKILL');
    children.forget(pid);
  }
}

/** Keeps the beginning of an output. The rest is read and dropped, so that the program does not wait. */
function collected(stream: ChildProcessWithoutNullStreams['stdout']): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - length));
    length += chunk.byteLength;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has no processes.
  }
}
