import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import type { Timers } from '../../lib/clock.ts';
import { GitRefusal, refusalText } from './git-refusal.ts';

/** Time between TERM and KILL. git removes its locks meanwhile. */
const TERM_MS = 5_000;
/** A background process of a hook may hold the output open: it is not waited for after this time. */
const DRAIN_MS = 500;
/** The last bytes of the output that are kept. */
const KEPT_BYTES = 64 * 1024;

/** One call of the user's git. */
export interface UserGitCall {
  /** The root of the working tree. */
  readonly root: string;
  /** What a refusal begins with, such as `Not committed`. */
  readonly refusal: string;
  readonly limitMs: number;
  /** Bytes for standard input. Default: none. */
  readonly input?: string | Buffer;
}

/** Variables that would name another repository than that of the working tree. */
const LOCAL_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CEILING_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_OPTIONAL_LOCKS',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/**
 * Runs git as the person would in a terminal: with the person's configuration, hooks, filters, credentials and signing. It has no terminal and
 * asks nothing: a password that no helper knows is a refusal. Only for what a person has asked for.
 */
export class UserGit {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #timers: Timers;
  readonly #running = new Map<ChildProcess, { stop(): void; readonly ended: Promise<unknown> }>();
  #isOver = false;

  constructor({
    timers,
    program = 'git',
    env = process.env,
  }: {
    readonly timers: Timers;
    readonly program?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
  }) {
    this.#timers = timers;
    this.#program = program;
    this.#env = environmentOf(env);
  }

  /** Runs git. Resolves with its output. Rejects with `GitRefusal`. */
  async run(args: readonly string[], call: UserGitCall): Promise<string> {
    const { root, refusal, limitMs, input = '' } = call;
    if (this.#isOver) throw new GitRefusal('stopped', `${refusal}: the host is stopping`);
    const child = spawn(this.#program, ['--no-pager', ...args], {
      cwd: root,
      // git searches no repository above the root: its idea of a repository may be stricter than that of the host.
      env: { ...this.#env, GIT_CEILING_DIRECTORIES: dirname(root) },
      // A session of its own has no terminal that a program could ask in, and is ended together with its hooks.
      detached: true,
      windowsHide: true,
    });
    // A program that ends early closes its input. Its exit code tells the reason.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const output = new Tail();
    const errors = new Tail();
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
    const ended = exitOf(child);
    let reason: 'late' | 'stopped' | undefined;
    const stop = (why: 'late' | 'stopped'): void => {
      reason ??= why;
      this.#end(child, ended);
    };
    this.#running.set(child, { stop: () => stop('stopped'), ended });
    const cancel = this.#timers.after(limitMs, () => stop('late'));
    try {
      const exitCode = await ended;
      if (exitCode === 0) return output.text;
      if (reason === 'late')
        throw new GitRefusal(
          'late',
          refusalText(`${refusal}: git took longer than ${limitMs / 1_000} s`, errors.text),
        );
      if (reason === 'stopped') throw new GitRefusal('stopped', `${refusal}: the host has stopped`);
      throw new GitRefusal('refused', refusalText(refusal, `${output.text}\n${errors.text}`));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      throw existsSync(root)
        ? new GitRefusal('missing', `${refusal}: there is no git program`)
        : new GitRefusal('refused', `${refusal}: the folder is gone`);
    } finally {
      cancel();
      this.#running.delete(child);
    }
  }

  /** Ends all calls. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const running = [...this.#running.values()];
    for (const { stop } of running) stop();
    await Promise.allSettled(running.map(({ ended }) => ended));
  }

  #end(child: ChildProcess, ended: Promise<unknown>): void {
    signal(child, 'SIGTERM');
    const cancel = this.#timers.after(TERM_MS, () => signal(child, 'SIGKILL'));
    ended.then(cancel, cancel);
  }
}

/** Resolves with the exit code; `undefined` after a signal. */
function exitOf(child: ChildProcess): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  child.once('error', reject);
  child.once('close', (code) => resolve(code ?? undefined));
  child.once('exit', (code) => {
    const drained = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(code ?? undefined);
    }, DRAIN_MS);
    child.once('close', () => clearTimeout(drained));
  });
  return promise;
}

function environmentOf(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !LOCAL_VARIABLES.has(name)));
  // The output is read by the host; encodings stay those of the user.
  const { LC_ALL: locale, GPG_TTY: _, SSH_ASKPASS: window, ...rest } = own;
  const isWanted = rest['SSH_ASKPASS_REQUIRE'] !== undefined && window !== undefined;
  return {
    ...rest,
    ...(locale === undefined ? {} : { LANG: locale, LC_CTYPE: locale }),
    LC_MESSAGES: 'C',
    LANGUAGE: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    // Desktops set a program that opens a window. A person who wants it says so in this variable, or in core.askPass of git.
    ...(isWanted ? { SSH_ASKPASS: window } : { SSH_ASKPASS_REQUIRE: 'never' }),
  };
}

function signal({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // It has ended already.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** The end of an output. */
class Tail {
  #bytes = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.#bytes, chunk]);
    this.#bytes = joined.length > KEPT_BYTES ? joined.subarray(-KEPT_BYTES) : joined;
  }

  get text(): string {
    return this.#bytes.toString('utf8');
  }
}
