import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import { type IPty, spawn } from '@lydell/node-pty';
import { prepareShell } from './prepare-shell.ts';

/**
 * The absolute path of a shell of this machine. Absent: throws under REQUIRE_ALL=1 unless it is `optional` (no package of Debian
 * has it), else says so, and tests are skipped.
 */
export function findShell(name: string, need: 'required' | 'optional' = 'required'): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  if (need === 'required' && process.env['REQUIRE_ALL'] === '1') throw new Error(`${name} is not installed`);
  process.stderr.write(`skipped: ${name} is not installed\n`);
  return undefined;
}

/** A mark, its text decoded: `{ letter: 'C', text: 'ls' }`. */
export interface SeenMark {
  readonly letter: string;
  readonly text: string | undefined;
}

/** What to start. */
export interface ShellSetup {
  readonly shell: string;
  /** Files of the throw-away home: path in it → content. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
  /** Changes the script before the shell reads it. */
  readonly edit?: (folder: string, command: readonly string[]) => void;
}

/** A real shell with its integration on a real pty, in a home of its own. */
export class ShellSession {
  readonly home: string;
  readonly folder: string;
  readonly nonce: string;
  readonly #pty: IPty;
  readonly #exit: Promise<number>;
  #output = '';
  #wake: (() => void) | undefined;

  static async start(setup: ShellSetup): Promise<ShellSession> {
    const home = mkdtempSync(join(tmpdir(), 'shell-home-'));
    const folder = mkdtempSync(join(tmpdir(), 'shell-files-'));
    for (const [path, content] of Object.entries(setup.files ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), content);
    }
    const env = {
      HOME: home,
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ...setup.env,
    };
    const { platform } = setup;
    const prepared = await prepareShell({
      shell: setup.shell,
      folder,
      env,
      ...defined({ platform }),
    });
    setup.edit?.(folder, prepared.command);
    const [program, ...args] = prepared.command;
    const pty = spawn(program, args, { env: { ...prepared.env }, cwd: home, cols: 200, rows: 40 });
    return new ShellSession(home, folder, prepared.nonce ?? '', pty);
  }

  private constructor(home: string, folder: string, nonce: string, pty: IPty) {
    this.home = home;
    this.folder = folder;
    this.nonce = nonce;
    this.#pty = pty;
    pty.onData((data) => {
      this.#output += data;
      this.#wake?.();
    });
    this.#exit = new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything put out so far, marks included. */
  get output(): string {
    return this.#output;
  }

  /** The marks with the right nonce so far. */
  get marks(): readonly SeenMark[] {
    const pattern = new RegExp(`\\x1b\\]633;${this.nonce};(\\w)(?:;(.*?))?\\x1b\\\\`, 'gs');
    return [...this.#output.matchAll(pattern)].map(([, letter = '', text]) => ({
      letter,
      text: text === undefined ? undefined : decode(text),
    }));
  }

  /** The texts of the marks of one letter. */
  texts(letter: string): readonly (string | undefined)[] {
    return this.marks.filter((mark) => mark.letter === letter).map(({ text }) => text);
  }

  /** Since the last command line was reported, without marks. */
  get lastOutput(): string {
    const rest = this.#output.slice(this.#output.lastIndexOf(`${this.nonce};C;`));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return rest.slice(rest.indexOf('\x1b\\') + 2).replace(/\x1b\][^\x1b\x07]*(\x1b\\|\x07)/g, '');
  }

  async until(isMet: (session: this) => boolean): Promise<void> {
    while (!isMet(this)) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`never came; output: ${JSON.stringify(this.#output)}`)),
          20_000,
        );
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The next prompt can be typed at. */
  async prompt(count = 1): Promise<void> {
    await this.until(({ marks }) => {
      const last = marks.findLastIndex(({ letter }) => letter === 'P');
      const since = marks.slice(last).map(({ letter }) => letter);
      const prompts = marks.filter(({ letter }) => letter === 'P').length;
      return prompts >= count && since.includes('A') && since.includes('B');
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types a line and Enter, and waits until the prompt is back. */
  async run(keys: string): Promise<void> {
    const count = this.texts('P').length;
    this.type(`${keys}\r`);
    await this.prompt(count + 1);
  }

  /**
   * Types Ctrl-C until the prompt is back: one that meets a shell in the middle of drawing its line is now and then lost, and bash 5.2 on a
   * busy machine may show no prompt behind it before the next key.
   */
  async interrupt(): Promise<void> {
    const count = this.texts('P').length;
    this.type('\x03');
    const again = setInterval(() => this.type('\x03'), 2_000);
    try {
      await this.prompt(count + 1);
    } finally {
      clearInterval(again);
    }
  }

  /** Resolves with the exit code. */
  exited(): Promise<number> {
    return this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pty.kill('SIGKILL');
    await this.#exit;
    rmSync(this.home, { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function decode(text: string): string {
  const bytes = text.replaceAll(/\\x([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
