import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { isGroupRunning } from '../../agents/process-identity.ts';
import { markedEnvironment } from '../../agents/process-mark.ts';
import type { ChildRegistry } from '../../agents/provider.ts';
import type { Timers } from '../../lib/clock.ts';

/** Time between closed input and TERM, and between TERM and KILL, in milliseconds. */
const GRACE_MS = 2_000;
/** Interval at which a process group is checked after its leader has exited. Milliseconds. */
const GROUP_POLL_MS = 50;
/** Time to read the pipes after the process has exited; a grandchild may hold them open forever. Milliseconds. */
const DRAIN_MS = 500;
/** Bytes of stderr that are kept for messages about an exit. */
const STDERR_TAIL_BYTES = 4 * 1024;

/**
 * A shell command that reads a line and then executes the server. A host that is killed before it has recorded the process never writes the
 * line: the shell's input ends and the shell exits, so that no unrecorded server is left.
 */
const GATE = 'read -r go && unset go PWD OLDPWD && exec "$0" "$@"';

/** A server's program. */
export interface StartProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly children: ChildRegistry;
  readonly timers: Timers;
  onOutput(chunk: Buffer): void;
  /** A piece of its standard error. */
  onErrorText(text: string): void;
  /** It has exited; `how` in words, with the end of its standard error. */
  onExit(how: string): void;
}

/** The process of a server, and its process group. */
export class ServerProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pid: number;
  readonly #timers: Timers;
  readonly #exited: Promise<void>;
  #stderr = Buffer.alloc(0);
  #hasExited = false;
  #stopping: Promise<void> | undefined;

  /** Resolves when the process runs and is recorded. Rejects with the system's error. */
  static async start(options: StartProgram): Promise<ServerProgram> {
    const child = spawn('/bin/sh', ['-c', GATE, options.file, ...options.args], {
      cwd: options.cwd,
      env: markedEnvironment(options.env),
      // A process group of its own: it can be stopped as a whole.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => {
        if (child.pid === undefined) reject(new Error('it has no process id'));
        else resolve(child.pid);
      });
    });
    const program = new ServerProgram(child, pid, options);
    try {
      await options.children.record({ pid, command: options.file });
    } catch (error) {
      await program.stop();
      throw error;
    }
    child.stdin.write('\n');
    return program;
  }

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, options: StartProgram) {
    this.#child = child;
    this.#pid = pid;
    this.#timers = options.timers;
    child.stdout.on('data', (chunk: Buffer) => options.onOutput(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-STDERR_TAIL_BYTES)]).subarray(
        -STDERR_TAIL_BYTES,
      );
      options.onErrorText(chunk.subarray(0, STDERR_TAIL_BYTES).toString('utf8'));
    });
    // Writes to an exited server fail here, and `onExit` reports the exit.
    for (const stream of [child, child.stdin, child.stdout, child.stderr])
      stream.on('error', () => undefined);
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        const cancel = options.timers.after(DRAIN_MS, () => {
          child.stdout.destroy();
          child.stderr.destroy();
        });
        child.once('close', () => {
          cancel();
          const words = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
          const said = this.#stderr.toString('utf8').trim();
          options.onExit(said === '' ? words : `${words}: ${said}`);
          void this.#endGroup().then(() => {
            options.children.forget(pid);
            resolve();
          });
        });
      });
    });
  }

  /** Resolves when the text is in the pipe. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(text, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Closes its input, then sends TERM, then KILL. Resolves when its process group has ended. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (!this.#hasExited) {
      this.#child.stdin.end();
      const cancels = [
        this.#timers.after(GRACE_MS, () => this.#signal('SIGTERM')),
        this.#timers.after(2 * GRACE_MS, () => this.#signal('SIGKILL')),
      ];
      await this.#exited;
      for (const cancel of cancels) cancel();
    }
    await this.#exited;
  }

  /** Ends the processes that an exited leader left in its group. */
  async #endGroup(): Promise<void> {
    if (!this.#signal('SIGTERM')) return;
    for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += GROUP_POLL_MS) {
      await new Promise<void>((resolve) => void this.#timers.after(GROUP_POLL_MS, resolve));
      if (!(await isGroupRunning(this.#pid))) return;
    }
    this.#signal('SIGKILL');
  }

  /** Returns whether the group had any process. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    try {
      return process.kill(-this.#pid, signal);
    } catch {
      // ESRCH: the group has no processes.
      return false;
    }
  }
}
