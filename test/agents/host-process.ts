import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { builtProgram } from '../../packages/cli/test/program.ts';

const START_TIMEOUT_MS = 30_000;

/** URL of a host, and the owner's token from its file. */
export interface HostAddress {
  readonly wsUrl: string;
  readonly token: string;
}

/** `agenthost serve` in a process of its own, with a data folder that outlives it. */
export class HostProcess {
  readonly #folder: string;
  readonly #config: unknown;
  readonly #more: readonly string[];
  #child: ChildProcess | undefined;
  #port = 0;
  #log = '';

  /** All files of the host are in `folder`, and clients may work below it. `config` becomes the config file, `more` are further arguments. */
  constructor(folder: string, config: unknown, more: readonly string[] = []) {
    this.#folder = folder;
    this.#config = config;
    this.#more = more;
  }

  /** Output on stderr of this process and of earlier ones. */
  get log(): string {
    return this.#log;
  }

  /** Starts the host, on the port of the earlier start. Rejects with the output when the process exits before it is ready. */
  async start(): Promise<HostAddress> {
    await mkdir(join(this.#folder, 'home'), { recursive: true });
    const config = join(this.#folder, 'agenthost.json');
    await writeFile(config, JSON.stringify(this.#config));
    const child = spawn(
      process.execPath,
      [
        ...[...builtProgram, 'serve', '--json'],
        ...['--port', String(this.#port), '--data', join(this.#folder, 'data')],
        ...['--config', config, '--root', this.#folder],
        ...this.#more,
      ],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        // Agents inherit from this environment by an allow list, so nothing of this machine can leak into them.
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: join(this.#folder, 'home'),
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        },
      },
    );
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    const address = await this.#ready(child);
    this.#port = Number(new URL(address.wsUrl).port);
    return address;
  }

  /** Stops the host and waits for its end. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Whether the host was started, and neither killed nor stopped since. */
  get isStarted(): boolean {
    return this.#child !== undefined;
  }

  /** Kills the host like a power failure. Its agents stay behind. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Process ids of children and their descendants. */
  async descendants(): Promise<number[]> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const pairs = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const found: number[] = [];
    const parents = [this.#child?.pid];
    for (const parent of parents) {
      for (const [pid, ppid] of pairs) {
        if (ppid !== parent || pid === undefined) continue;
        found.push(pid);
        parents.push(pid);
      }
    }
    return found;
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }

  #ready(child: ChildProcess): Promise<HostAddress> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`The host ${why}; it wrote: ${this.#log.slice(-2_000)}`));
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`was not ready within ${START_TIMEOUT_MS} ms`);
      }, START_TIMEOUT_MS);
      child.once('error', (cause) => fail(`could not be started: ${cause.message}`));
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal} before it was ready`));
      if (!child.stdout) return fail('has no stdout');
      createInterface({ input: child.stdout }).once('line', (line) => {
        clearTimeout(timer);
        const ready: unknown = JSON.parse(line);
        if (
          typeof ready === 'object' &&
          ready !== null &&
          'wsUrl' in ready &&
          typeof ready.wsUrl === 'string' &&
          'tokenFile' in ready &&
          typeof ready.tokenFile === 'string'
        ) {
          resolve({ wsUrl: ready.wsUrl, token: readFileSync(ready.tokenFile, 'utf8').trim() });
        } else {
          fail(`announced itself by ${line}`);
        }
      });
    });
  }
}

/** Resolves when none of the processes is alive. Rejects when one still is after `withinMs`. */
export async function untilGone(pids: readonly number[], withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const alive = pids.filter(isAlive);
    if (alive.length === 0) return;
    if (performance.now() > deadline) throw new Error(`Still running: ${alive.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
