import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOST_NODE_FLAGS } from '../packages/cli/src/host-link/start-host.ts';

/** A child process that answers each request, one at a time, with one message. */
export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #name: string;

  /** `file` lies beside this one. `flags` are for its Node. `env` is added to the environment of this process. */
  constructor(file: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#name = file;
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
      execArgv: ['-C', '@agenthost/source', ...flags],
      serialization: 'advanced',
      env: { ...process.env, ...env },
    });
  }

  /** Rejects when the process ends before it answers, or answers `{error}`. */
  async ask<T>(request: object): Promise<T> {
    const ended = new AbortController();
    const exit = once(this.#child, 'exit', { signal: ended.signal }).then(
      ([code]) => {
        throw new Error(`${this.#name} ended with ${String(code)}`);
      },
      () => new Promise<never>(() => undefined),
    );
    const answered = once(this.#child, 'message', { signal: ended.signal });
    this.#child.send(request);
    try {
      const [answer] = await Promise.race([answered, exit]);
      if (typeof answer === 'object' && answer !== null && 'error' in answer) throw new Error(answer.error);
      return answer;
    } finally {
      ended.abort();
      answered.catch(() => undefined);
    }
  }

  /** Sends SIGKILL. Resolves when the process has ended. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Disconnects from the process and waits for its end. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }
}

/** Runs `measured-host.ts` with the memory limits of a host that `agenthost` starts. `env` is added to the environment of this process. */
export const measuredHost = (env: NodeJS.ProcessEnv = {}): BenchProcess =>
  new BenchProcess('./measured-host.ts', ['--expose-gc', ...HOST_NODE_FLAGS], env);

/** Serves `BenchProcess.ask` in the child. `onEnd` runs when the parent has disconnected. */
export function serve<T>(answer: (request: T) => Promise<unknown>, onEnd: () => Promise<void> | void): void {
  process.on('message', (request) => {
    answer(request as T).then(
      (result) => process.send?.(result ?? {}),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => {
    void Promise.resolve(onEnd()).then(() => process.exit(0));
  });
}

/** Runs `work` with a temporary folder. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-bench-'));
  try {
    return await work(folder);
  } finally {
    // Shells may still write their history.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
