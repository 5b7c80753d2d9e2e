// The real command against a real host with the demo agent, each in a process of its own.
import { type AhpClient, connect } from '@agenthost/client';
import {
  Machine,
  type RunningCli,
  readServeLine,
  type ServeLine,
} from '../../packages/cli/test/cli-process.ts';
import { builtProgram } from '../../packages/cli/test/program.ts';
import { TmuxWindow } from './tmux.ts';

/** A machine with a host, and chat windows on it. The caller disposes of it. */
export class Stage {
  readonly #machine = new Machine();
  readonly #windows = new Set<TmuxWindow>();
  #host: RunningCli | undefined;
  #port = '0';

  /** The user's home, in which sessions work. */
  get folder(): string {
    return this.#machine.home;
  }

  /** Starts the host, on the port of the earlier start. `more`: further arguments. */
  async serve(...more: string[]): Promise<ServeLine> {
    const host = this.#machine.start(['serve', '--port', this.#port, '--json', ...more]);
    this.#host = host;
    await host.until('}\n');
    const line = readServeLine(host.out);
    this.#port = new URL(line.url).port;
    return line;
  }

  /** A client of the host without a window. The caller closes it. */
  client(): Promise<AhpClient> {
    const { wsUrl, token } = this.#machine.hosts()[0] ?? { wsUrl: '', token: '' };
    return connect(wsUrl, { token });
  }

  /** Kills the host like a power failure. */
  async killHost(): Promise<void> {
    this.#host?.kill('SIGKILL');
    await this.#host?.ended;
  }

  /** Runs another command of the program to its end. */
  run(...args: string[]): RunningCli['ended'] {
    return this.#machine.run(args);
  }

  /** Starts another command of the program, which the test types into. */
  start(...args: string[]): RunningCli {
    return this.#machine.start(args);
  }

  /** Opens `agenthost chat` in a terminal, which shows the exit code at its end. */
  async chat(
    args: readonly string[] = [],
    size: { columns?: number; rows?: number } = {},
  ): Promise<TmuxWindow> {
    const window = new TmuxWindow({ ...this.#machine.environment, TERM: 'xterm-256color' });
    this.#windows.add(window);
    const program = [process.execPath, ...builtProgram, 'chat', ...args].map((word) => `'${word}'`).join(' ');
    await window.open(`echo before; ${program}; echo "exit code $?"; exec cat`, {
      ...size,
      cwd: this.folder,
    });
    return window;
  }

  async dispose(): Promise<void> {
    for (const window of this.#windows) await window.dispose();
    await this.#machine.dispose();
  }
}
