import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AgentError, isGroupRunning } from '@agenthost/host/agent';
import type { AcpLog, AcpTimers } from '../runtime.ts';

/** What to run as an agent, and how to end it. */
export interface StartAgentProcess {
  /** Absolute path of the executable. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How people know it, for messages. */
  readonly name: string;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** Between TERM and KILL. */
  readonly graceMs: number;
}

/** How much of stderr is kept for messages about an agent's end, in bytes. */
const STDERR_TAIL_BYTES = 8 * 1024;

/** How often a group that was told to end is looked at once its leader has gone. */
const GROUP_POLL_MS = 50;

/** After the process has gone, what is still in its pipes gets this long: a grandchild may hold them open for ever. */
const DRAIN_MS = 500;

/**
 * A shell that becomes the agent once it is told to. A host that is killed before it has recorded the process tells it nothing, and so
 * leaves no agent behind that the next start would not know of: the shell's input ends, and it does.
 */
const GATE = 'read -r go && unset go PWD OLDPWD && exec "$0" "$@"';

/** An agent's process and its process group. */
export class AgentProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stdin: Writable;
  /** Resolves with how it ended, in words (`exit code 1`, `signal SIGKILL`), when its pipes had time to drain. */
  readonly exited: Promise<string>;
  readonly #options: StartAgentProcess;
  #stderr = Buffer.alloc(0);
  #hasExited = false;
  #stopping: Promise<void> | undefined;
  /** Settles when nothing is left of the group; there once the process has exited. */
  #groupEnded: Promise<void> = Promise.resolve();

  /** Resolves when the process is there; it does nothing before `begin`. Rejects with `AgentError` when there can be none. */
  static start(options: StartAgentProcess): Promise<AgentProcess> {
    const child = spawn('/bin/sh', ['-c', GATE, options.file, ...options.args], {
      cwd: options.cwd,
      env: { ...options.env },
      // A group of its own: what the agent starts ends with it, and a Ctrl-C at the host's terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      child.once('error', (cause) => {
        reject(
          new AgentError(
            'agentError',
            `${options.name} cannot be started: ${options.file}: ${cause.message}`,
            {
              cause,
            },
          ),
        );
      });
      child.once('spawn', () => {
        if (child.pid === undefined)
          reject(new AgentError('agentError', `${options.name} has no process id`));
        else resolve(new AgentProcess(child, child.pid, options));
      });
    });
  }

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, options: StartAgentProcess) {
    this.#options = options;
    this.pid = pid;
    this.stdout = child.stdout;
    this.stdin = child.stdin;
    // A write to an agent that has gone fails there; its end is what counts and is reported by `exited`.
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

  /** Lets the agent begin. To be called once, when its process is recorded and before anything is written to it. */
  begin(): void {
    this.stdin.write('\n');
  }

  /** The end of what it wrote to stderr, trimmed. */
  stderrTail(): string {
    return this.#stderr.toString('utf8').trim();
  }

  /** Resolves when nothing is left of it: the process and its group. */
  async gone(): Promise<void> {
    await this.exited;
    await this.#groupEnded;
  }

  /** TERM to the group, then KILL when some of it still runs after the grace period. Resolves when all has ended; calling twice is fine. */
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
   * Ends what a process that has gone left running in its group: TERM, wait, KILL. The number cannot stand for another group while one
   * of ours is in it.
   */
  async #endGroup(): Promise<void> {
    if (!this.#signal('SIGTERM')) return;
    for (let waitedMs = 0; waitedMs < this.#options.graceMs; waitedMs += GROUP_POLL_MS) {
      await new Promise<void>((resolve) => void this.#options.timers.after(GROUP_POLL_MS, resolve));
      if (!(await isGroupRunning(this.pid))) return;
    }
    this.#signal('SIGKILL');
  }

  /** Returns whether anybody was there to get it. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    try {
      return process.kill(-this.pid, signal);
    } catch (error) {
      // ESRCH: nobody is left in the group.
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
