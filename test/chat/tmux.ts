// A terminal that a test reads and types into: a tmux server of its own, without the user's configuration.
import { type ExecFileException, execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const POLL_MS = 40;

/** Whether tmux is installed. Throws under REQUIRE_ALL when it is not. */
export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['REQUIRE_ALL'] === '1')
      throw new Error('tmux is missing, and REQUIRE_ALL wants it', { cause: error });
    process.stderr.write('skipped: tests of agenthost chat need tmux (apt-get install tmux)\n');
    return false;
  }
}

/** One terminal in which a command runs. */
export class TmuxWindow {
  readonly #folder = mkdtempSync(join(tmpdir(), 'agenthost-tmux-'));
  readonly #socket = join(this.#folder, 'socket');
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  /** Starts a shell command in a window of this size. */
  async open(
    command: string,
    { columns = 80, rows = 24, cwd }: { columns?: number; rows?: number; cwd: string },
  ): Promise<void> {
    const size = ['-x', String(columns), '-y', String(rows)];
    await this.#tmux(['-f', '/dev/null', 'new-session', '-d', ...size, '-s', 'chat', '-c', cwd, command]);
  }

  /** Presses keys by tmux's names. Other strings are typed as they are. */
  async press(...keys: string[]): Promise<void> {
    // One at a time, as fingers do: the program reads bytes that come together as one key.
    for (const key of keys) {
      await this.#tmux(['send-keys', '-t', 'chat', key]);
      await wait(POLL_MS);
    }
  }

  /** Types text literally, even when its words are names of tmux keys. */
  async type(text: string): Promise<void> {
    await this.#tmux(['send-keys', '-t', 'chat', '-l', text]);
    await wait(POLL_MS);
  }

  /** The text on the screen. */
  async screen(): Promise<string> {
    return this.#tmux(['capture-pane', '-p', '-t', 'chat']);
  }

  /** Resolves with the screen when it shows the text. */
  async until(shows: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    const isShown = (screen: string): boolean =>
      typeof shows === 'string'
        ? screen.includes(shows)
        : typeof shows === 'function'
          ? shows(screen)
          : shows.test(screen);
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const screen = await this.screen();
      if (isShown(screen)) return this.#whole(screen, isShown);
      if (performance.now() > deadline) throw new Error(`no ${String(shows)} in time:\n${screen}`);
      await wait(POLL_MS);
    }
  }

  /** Waits for the rest of a frame: reads until the screen stops changing, or a few times when it never stops. */
  async #whole(first: string, isShown: (screen: string) => boolean): Promise<string> {
    let screen = first;
    for (let look = 0; look < 4; look += 1) {
      await wait(POLL_MS);
      const next = await this.screen();
      if (next === screen || !isShown(next)) return screen;
      screen = next;
    }
    return screen;
  }

  /** Resolves with the screen when it has not changed for a moment. */
  async settled(): Promise<string> {
    let before = await this.screen();
    for (;;) {
      await wait(3 * POLL_MS);
      const screen = await this.screen();
      if (screen === before) return screen;
      before = screen;
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux(['resize-window', '-t', 'chat', '-x', String(columns), '-y', String(rows)]);
  }

  /** A tmux variable of the pane, such as `alternate_on`. */
  async ask(name: string): Promise<string> {
    return (await this.#tmux(['display-message', '-p', '-t', 'chat', `#{${name}}`])).trim();
  }

  /** Ends the server and all programs in it. */
  async dispose(): Promise<void> {
    // The end of the last window may have ended the server already.
    await this.#tmux(['kill-server']).catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #tmux(args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(
        'tmux',
        ['-S', this.#socket, ...args],
        { env: { ...this.#env } },
        (error: ExecFileException | null, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new Error(`tmux ${args.join(' ')}: ${stderr || error.message}`, { cause: error }));
        },
      );
    });
  }
}
