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

  /** `file`: beside this one. `flags`: for its Node. `env`: on top of this process's own. */
  constructor(file: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#name = file;
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
      execArgv: ['-C', '@agenthost/source', ...flags],
      serialization: 'advanced',
      env: { ...process.env, ...env },
    });
  }

  /** Rejects when the process ends instead, or answers `{error}`. */
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

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Lets it go and waits for its end. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }
}

/** `measured-host.ts` in a process of its own, with the memory of a host that `agenthost` starts. `env`: on top of this process's own. */
export const measuredHost = (env: NodeJS.ProcessEnv = {}): BenchProcess =>
  new BenchProcess('./measured-host.ts', ['--expose-gc', ...HOST_NODE_FLAGS], env);

/** Serves `BenchProcess.ask` in the child; `onEnd` runs when the parent has let go. */
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

/** Runs `work` with a folder that is gone afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
