// A window of a terminal emulator that runs the built program on a real pty and answers queries.
import pty, { type IPty } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { builtProgram } from './program.ts';

const patienceMs = 20_000;

/** Options of a window. */
export interface WindowOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
  /** Arguments of Node that start the program. Default: the built one. */
  readonly program?: readonly string[];
}

/** One window. The caller disposes of it. */
export class Window {
  /** Everything that was written to the window. */
  raw = '';
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof headless.Terminal>;
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<number>;
  #hasEnded = false;

  constructor(
    args: readonly string[],
    { cwd, env, cols = 90, rows = 20, program = builtProgram }: WindowOptions,
  ) {
    this.#screen = new headless.Terminal({ cols, rows, allowProposedApi: true });
    this.#pty = pty.spawn(process.execPath, [...program, ...args], {
      cwd,
      env: { ...env },
      cols,
      rows,
      name: 'xterm-256color',
    });
    // The emulator answers queries, as every real one does.
    this.#screen.onData((answer) => this.#pty.write(answer));
    this.#pty.onData((text) => {
      this.raw += text;
      this.#screen.write(text, () => this.#look());
    });
    this.#ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#hasEnded = true;
        // Runs after all written output.
        this.#screen.write('', () => {
          this.#look();
          resolve(signal ? 128 + signal : exitCode);
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** The text on the screen, without spaces at the ends of lines. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: this.#screen.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  /** Whether the alternate screen is active. */
  get isAlternate(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  /** Emulator modes that programs set. */
  get modes(): InstanceType<typeof headless.Terminal>['modes'] {
    return this.#screen.modes;
  }

  /** Resolves with the exit code. */
  get ended(): Promise<number> {
    return this.#within('its end', this.#ended);
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(cols: number, rows: number): void {
    this.#screen.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** Resolves when the screen shows this. */
  async until(shows: string | RegExp): Promise<void> {
    const isShown = (): boolean =>
      typeof shows === 'string' ? this.text.includes(shows) : shows.test(this.text);
    await this.#within(
      String(shows),
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (isShown()) resolve();
          else if (this.#hasEnded) reject(new Error(`ended without ${String(shows)}:\n${this.text}`));
          else return;
          this.#waiting.delete(look);
        };
        this.#waiting.add(look);
        look();
      }),
    );
  }

  async dispose(): Promise<void> {
    if (!this.#hasEnded) this.#pty.kill('SIGKILL');
    await this.#ended;
    this.#screen.dispose();
  }

  #look(): void {
    for (const look of Array.from(this.#waiting)) look();
  }

  async #within<T>(what: string, promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no ${what} in time:\n${this.text}`)), patienceMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
