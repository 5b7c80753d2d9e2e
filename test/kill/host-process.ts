import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { HOST_NODE_FLAGS } from '../../packages/cli/src/host-link/start-host.ts';
import { builtProgram } from '../../packages/cli/test/program.ts';

const START_TIMEOUT_MS = 30_000;

/** URL of a host, and the owner's token from its file. */
export interface Address {
  readonly url: string;
  readonly wsUrl: string;
  readonly token: string;
  readonly pid: number;
}

/** `agenthost serve` in a process of its own, on a data folder that outlives it. */
export class HostProcess {
  readonly #dataDir: string;
  readonly #root: string;
  readonly #arguments: readonly string[];
  readonly #through: readonly string[];
  #child: ChildProcess | undefined;
  #port = 0;
  #address: Address | undefined;
  #errors = '';

  /**
   * `root` is the folder of the sessions, and `home` lies in it. `through` is a command that executes the program after it, such as
   * `['env', 'A=b']`.
   */
  constructor(
    dataDir: string,
    root: string,
    extraArguments: readonly string[] = [],
    through: readonly string[] = [],
  ) {
    this.#dataDir = dataDir;
    this.#root = root;
    this.#arguments = extraArguments;
    this.#through = through;
  }

  get address(): Address {
    if (this.#address === undefined) throw new Error('the host has never been ready');
    return this.#address;
  }

  /** Stderr of this process and of earlier ones. */
  get errors(): string {
    return this.#errors;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the host, on the port of the earlier start. Rejects with its output when it exits before it is ready. */
  async start(): Promise<Address> {
    const [program, ...before] = [...this.#through, process.execPath];
    const child = spawn(
      program,
      [
        ...before,
        ...[...HOST_NODE_FLAGS, ...builtProgram, 'serve', '--json'],
        ...['--port', String(this.#port), '--data', this.#dataDir, '--root', this.#root, ...this.#arguments],
      ],
      {
        cwd: this.#root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: this.#root,
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        },
      },
    );
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([
      once(lines, 'line').then(([text]) => String(text)),
      once(child, 'exit').then(async ([code, signal]) => {
        if (!child.stderr.readableEnded) await once(child.stderr, 'end');
        throw new Error(`the host ended (${code ?? signal}) before it was ready: ${this.#errors}`);
      }),
      timeout(START_TIMEOUT_MS),
    ]);
    const said: (Omit<Address, 'token'> & { tokenFile: string }) | { readonly message: string } =
      JSON.parse(line);
    if ('message' in said) throw new Error(said.message);
    const { tokenFile, ...address } = said;
    this.#address = { ...address, token: readFileSync(tokenFile, 'utf8').trim() };
    this.#port = Number(new URL(this.address.wsUrl).port);
    return this.address;
  }

  /** Sends SIGKILL. Resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Sends SIGTERM. Resolves with the exit code when the process has ended. */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM');
    return this.#child?.exitCode ?? null;
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
}

function timeout(ms: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`the host was not ready within ${ms} ms`)), ms).unref();
  });
}
