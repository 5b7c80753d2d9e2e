// Runs the real, built program in a home of its own, and removes all its files.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { builtProgram } from './program.ts';

/** A compile cache makes each start of the program much faster. It is set for all tests. */
const compileCache: Record<string, string> =
  process.env['NODE_COMPILE_CACHE'] === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** Time limit for expected output and for the end of a program. */
const patienceMs = 120_000;

/** Notes that the program prints during waits of over a second. */
const progress =
  /^(?:starting|starting a host|connecting to .*|creating a session|listing sessions|looking for agents|waiting for (?:demo|the agent|terminal .*)|starting the agent|(?:writing|checking) the backup|looking at this machine|asking the hosts?|searching for the session|checking the database|reading the turns|opening a conversation|removing .*)\n/gm;

export interface RunningCli {
  readonly pid: number;
  /** Output on stdout so far. */
  readonly out: string;
  readonly err: string;
  /** Resolves when `text` is on stdout or stderr. */
  until(text: string): Promise<void>;
  /** Resolves when the program has ended. Its `err` has no notes of a slow machine. */
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  type(text: string): void;
  endInput(): void;
  /** Stops reading the output, as `head -1` does. */
  closeOutput(): void;
  kill(signal: NodeJS.Signals): void;
}

export interface ServeLine {
  readonly url: string;
  readonly wsUrl: string;
  /** Content of the token file whose path is printed; '' if the token came from the environment. */
  readonly token: string;
  readonly pid: number;
}

/** The line of `serve --json`, with the token from its file. */
export function readServeLine(printed: string): ServeLine {
  const said: Omit<ServeLine, 'token'> & { tokenFile?: string } = JSON.parse(printed);
  const token = said.tokenFile === undefined ? '' : readFileSync(said.tokenFile, 'utf8').trim();
  return { ...said, token };
}

/** A user on a machine with the program installed: home, working folder, environment. */
export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'agenthost-cli-'));
  /** Folder of the installed program. */
  readonly #programs = mkdtempSync(join(tmpdir(), 'agenthost-cli-bin-'));
  readonly #running = new Set<ChildProcess>();
  readonly #env: Record<string, string>;
  readonly #program: readonly string[];

  /** `program`: arguments of Node that start the program. */
  constructor(env: Record<string, string> = {}, program = builtProgram) {
    this.#program = program;
    const start = `#!/bin/sh\nexec '${process.execPath}' '${builtProgram.join("' '")}' "$@"\n`;
    writeFileSync(join(this.#programs, 'agenthost'), start, { mode: 0o755 });
    const path = `/usr/bin:/bin:${this.#programs}`;
    this.#env = { PATH: path, HOME: this.home, LANG: 'C.UTF-8', ...compileCache, ...env };
  }

  /** The environment of programs on this machine. */
  get environment(): Readonly<Record<string, string>> {
    return this.#env;
  }

  get hostsFolder(): string {
    return join(this.home, '.local/state/agenthost/hosts');
  }

  get dataFolder(): string {
    return join(this.home, '.local/share/agenthost');
  }

  /** The announcements of running hosts. */
  hosts(): (ServeLine & { readonly dataDir: string })[] {
    if (!existsSync(this.hostsFolder)) return [];
    return readdirSync(this.hostsFolder)
      .filter((name) => name.endsWith('.json'))
      .map(
        (name) =>
          JSON.parse(readFileSync(join(this.hostsFolder, name), 'utf8')) as ServeLine & { dataDir: string },
      );
  }

  /** Starts the program. Its input stays open until `endInput`. */
  start(args: readonly string[], env: Record<string, string> = {}): RunningCli {
    const child = spawn(process.execPath, [...this.#program, ...args], {
      cwd: this.home,
      env: { ...this.#env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    return follow(child, args, () => this.#running.delete(child));
  }

  /** Runs the program to its end, without input. */
  run(args: readonly string[], env: Record<string, string> = {}): RunningCli['ended'] {
    const cli = this.start(args, env);
    cli.endInput();
    return cli.ended;
  }

  /** Starts a host and resolves when it is ready. */
  async serve(...args: string[]): Promise<{ readonly host: RunningCli; readonly line: ServeLine }> {
    const host = this.start(['serve', '--port', '0', '--json', ...args]);
    await host.until('}\n');
    return { host, line: readServeLine(host.out) };
  }

  /** Ends all programs, hosts in the background included. */
  async dispose(): Promise<void> {
    const ends = [...this.#running].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.#running) child.kill('SIGKILL');
    await Promise.all(ends);
    for (const { pid } of this.hosts()) await endStranger(pid);
    for (const folder of [this.home, this.#programs])
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function endStranger(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
    for (;;) {
      process.kill(pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

function follow(child: ChildProcess, args: readonly string[], ended: () => void): RunningCli {
  let out = '';
  let err = '';
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of Array.from(waiting)) look();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    wake();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    wake();
  });
  // The program may end before it has read all its input.
  child.stdin?.on('error', () => undefined);
  let hasEnded = false;
  const end = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      ended();
      wake();
      resolve({ code, out, err: err.replace(progress, '') });
    });
  });
  const said = (): string => `agenthost ${args.join(' ')} said\n--- stdout\n${out}\n--- stderr\n${err}`;
  return {
    get pid() {
      return child.pid ?? 0;
    },
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    until: (text) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
          waiting.delete(look);
          clearTimeout(timer);
          act();
        };
        const look = (): void => {
          if (out.includes(text) || err.includes(text)) settle(resolve);
          else if (hasEnded) settle(() => reject(new Error(`ended without "${text}": ${said()}`)));
        };
        const timer = setTimeout(
          () => settle(() => reject(new Error(`no "${text}" in time: ${said()}`))),
          patienceMs,
        );
        waiting.add(look);
        look();
      }),
    get ended() {
      return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no end in time: ${said()}`)), patienceMs);
        void end.then((result) => {
          clearTimeout(timer);
          resolve(result);
        });
      });
    },
    type: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    closeOutput: () => void child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
  };
}

/** The objects that a command printed with `--json`. Throws for any other line. */
export const jsonLines = (text: string): { type?: string; [name: string]: unknown }[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type?: string });
