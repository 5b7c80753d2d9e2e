import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { HOST_NODE_FLAGS } from '../../packages/cli/src/host-link/start-host.ts';
import { builtProgram } from '../../packages/cli/test/program.ts';

/** The program in a process of its own. */
export class ProgramProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  /** The first line of its output, as JSON. Stays pending for a standby until it takes the cell. Rejects with the output when the process ends before. */
  readonly ready: Promise<{ readonly url: string; readonly wsUrl: string; readonly pid: number }>;
  #output = '';

  /** `home`: its home and working folder. `env` is added to its environment. */
  constructor(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [...HOST_NODE_FLAGS, ...builtProgram, ...args], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        ...env,
      },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    this.#exited = once(child, 'close').then(([code]) => code);
    const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => JSON.parse(text));
    this.ready = Promise.race([
      line,
      this.#exited.then((code) => {
        throw new Error(`the program ended (${code}) before it was ready: ${this.#output}`);
      }),
    ]);
    // A process that is stopped before it was ready.
    this.ready.catch(() => undefined);
  }

  /** What it printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Resolves with the exit code and what it printed. */
  async ended(): Promise<{ readonly code: number | null; readonly output: string }> {
    const code = await this.#exited;
    return { code, output: this.#output };
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Ends the process if it still runs. Resolves when it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    // A paused process gets other signals only after this one.
    this.#child.kill('SIGCONT');
    this.#child.kill(signal);
    await this.#exited;
  }
}
