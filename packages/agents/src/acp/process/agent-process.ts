import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AgentError, isGroupRunning } from '@agenthost/host/agent';
import type { AcpLog, AcpTimers } from '../runtime.ts';

/** The program of an agent, and how it is stopped. */
export interface StartAgentProcess {
  /** Absolute path of the executable. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Name for messages. */
  readonly name: string;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** Time between TERM and KILL, in milliseconds. */
  readonly graceMs: number;
}

/** Bytes of stderr that are kept for messages about an agent's exit. */
const STDERR_TAIL_BYTES = 8 * 1024;

/** Interval at which a process group is checked after its leader has exited. Milliseconds. */
const GROUP_POLL_MS = 50;

/**
 * Time to read the pipes after the process has exited; a grandchild may hold them open forever. Milliseconds.
 */
const DRAIN_MS = 500;

/**
 * A shell command that reads a line and then executes the agent. A host that is killed before it has recorded the
 * process never writes the line: the shell's input ends and the shell exits, so that no unrecorded agent is
 * left.
 */
const GATE = 'read -r go && unset go PWD OLDPWD && exec "$0" "$@"';

/** An agent's process and its process group. */
export class AgentProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stdin: Writable;
  /**
   * Resolves with the kind of exit in words (`exit code 1`, `signal SIGKILL`), after the pipes had time to
   * drain.
   */
  readonly exited: Promise<string>;
  readonly #options: StartAgentProcess;
  #stderr = Buffer.alloc(0);
  #hasExited = false;
  #stopping: Promise<void> | undefined;
  /** Settles when the group has no processes left. Set once the process has exited. */
  #groupEnded: Promise<void> = Promise.resolve();

  /** Starts the process, which waits for `begin`. Rejects with `AgentError` when it cannot be started. */
  static start(options: StartAgentProcess): Promise<AgentProcess> {
    const child = spawn('/bin/sh', ['-c', GATE, options.file, ...options.args], {
      cwd: options.cwd,
      env: { ...options.env },
      // A process group of its own: it can be stopped as a whole, and a Ctrl-C at the host's terminal does
      // not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      child.once('error', (cause) => {
        reject(
          new AgentError(
            'agentError',
            `${options.name} could not be started: ${options.file}: ${cause.message}`,
            {
              cause,
            },
          ),
        );
      });
      child.once('spawn', () => {
        if (child.pid === undefined)
          reject(new AgentError('agentError', `${options.name} could not be started: it has no process id`));
        else resolve(new AgentProcess(child, child.pid, options));
      });
    });
  }

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, options: StartAgentProcess) {
    this.#options = options;
    this.pid = pid;
    this.stdout = child.stdout;
    this.stdin = child.stdin;
    // A write to an exited agent fails here; `exited` reports the exit.
    child.stdin.on('error', (error) => options.log('debug', 'agent stdin closed', { error: error.message }));
    child.on('error', (error) => options.log('warn', 'agent process', { error: error.message }));
    child.stderr.on('data', (chunk: Buffer) => this.#keepStderr(chunk));
    child.stderr.on('error', (error) =>
      options.log('debug', 'agent stderr closed', { error: error.message }),
    );
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        this.#groupEnded = this.#endGroup();
        const words = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
        const cancel = options.timers.after(DRAIN_MS, () => {
          child.stdout.destroy();
          child.stderr.destroy();
        });
        child.once('close', () => {
          cancel();
          resolve(words);
        });
      });
    });
  }

  /**
   * Lets the agent begin. Call it once, after the process is recorded and before anything is written to it.
   */
  begin(): void {
    this.stdin.write('\n');
  }

  /** The end of its stderr, trimmed. */
  stderrTail(): string {
    return this.#stderr.toString('utf8').trim();
  }

  /** Resolves when the process and its group are gone. */
  async gone(): Promise<void> {
    await this.exited;
    await this.#groupEnded;
  }

  /**
   * Sends TERM to the group, and KILL after the grace period. Resolves when all processes have ended.
   * Idempotent.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (!this.#hasExited) {
      this.#signal('SIGTERM');
      const cancel = this.#options.timers.after(this.#options.graceMs, () => this.#signal('SIGKILL'));
      await this.exited;
      cancel();
    }
    await this.gone();
  }

  /**
   * Stops the processes that an exited leader left in its group: TERM, wait, KILL. The group id cannot be
   * reused while the group has a member.
   */
  async #endGroup(): Promise<void> {
    if (!this.#signal('SIGTERM')) return;
    for (let waitedMs = 0; waitedMs < this.#options.graceMs; waitedMs += GROUP_POLL_MS) {
      await new Promise<void>((resolve) => void this.#options.timers.after(GROUP_POLL_MS, resolve));
      if (!(await isGroupRunning(this.pid))) return;
    }
    this.#signal('SIGKILL');
  }

  /** Returns whether the group had any process. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    try {
      return process.kill(-this.pid, signal);
    } catch (error) {
      // ESRCH: the group has no processes.
      this.#options.log('debug', 'agent process group', { signal, error: String(error) });
      return false;
    }
  }

  #keepStderr(chunk: Buffer): void {
    this.#options.log('debug', 'agent stderr', {
      agent: this.#options.name,
      text: chunk.subarray(0, 2_000).toString('utf8').trimEnd(),
    });
    this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-STDERR_TAIL_BYTES)]).subarray(
      -STDERR_TAIL_BYTES,
    );
  }
}
