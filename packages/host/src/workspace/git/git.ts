import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';

/** Default time limit of one call of git. */
const LIMIT_MS = 30_000;
/** Default limit of the output of one call. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Options of one call of git. */
export interface GitCall {
  /** The folder to run in. Default: the root folder, so that git finds no repository by itself. */
  readonly cwd?: string;
  /** Variables beside those of `Git`, for example `GIT_DIR`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes for standard input. Default: none. */
  readonly input?: string | Buffer;
  /** Exit codes that are no failure. Default: 0. */
  readonly okCodes?: readonly number[];
  /** Default 30 s. */
  readonly limitMs?: number;
  /** Default 256 MiB. */
  readonly maxBytes?: number;
  /** True: patterns in paths have their meaning. For commands that refuse `--literal-pathspecs`. */
  readonly hasPatterns?: boolean;
  /** True: the configuration of the user and of the machine applies. Default: only that of the repository. */
  readonly hasUserConfig?: boolean;
}

/** The outcome of a call whose exit code is no failure. */
export interface GitOutput {
  readonly stdout: Buffer;
  readonly exitCode: number;
}

/**
 * A failed call of git. `code`: `missing`: there is no git program; `late`: the call took longer than its limit; `tooLarge`: its output was
 * larger than its limit; `stopped`: its signal was aborted; `failed`: git reported an error, which the message holds.
 */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: 'missing' | 'late' | 'tooLarge' | 'stopped' | 'failed';

  constructor(code: GitError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Options for each call: no hook, no pager, no file system monitor, no lock that is not needed. Programs in the configuration of a repository
 * do not run: an agent can write that file.
 */
const SAFE_OPTIONS = [
  '--no-pager',
  '--no-optional-locks',
  '-c',
  `core.hooksPath=${devNull}`,
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.pager=cat',
] as const;

/** A pattern in a path has no meaning. */
const LITERAL = ['--literal-pathspecs'] as const;

/** Variables of git that an environment may set for its own repositories. */
const isGitVariable = (name: string): boolean => /^GIT_/i.test(name);

/** Runs the git program that the user has installed. Asks for nothing, and reads nothing from a terminal. */
export class Git {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #signal: AbortSignal | undefined;

  /** `signal`: when it is aborted, running calls are killed, and later ones do not begin. */
  constructor({
    program = 'git',
    env = process.env,
    signal,
  }: {
    readonly program?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly signal?: AbortSignal;
  } = {}) {
    this.#program = program;
    this.#signal = signal;
    const own = Object.entries(env).filter(([name]) => !isGitVariable(name));
    this.#env = {
      ...Object.fromEntries(own),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_ASKPASS: 'true',
      GIT_EDITOR: 'true',
      GIT_NO_LAZY_FETCH: '1',
    };
  }

  /** The version of git, such as `2.39.5`. `undefined` if there is no git program that answers. */
  async version(): Promise<string | undefined> {
    try {
      const text = await this.text(['version'], { limitMs: 5_000 });
      return /(\d+\.\d+[\w.]*)/.exec(text)?.[1];
    } catch (error) {
      if (error instanceof GitError) return undefined;
      throw error;
    }
  }

  /** Runs git and resolves with its output as UTF-8, without the last line end. Rejects as `run` does. */
  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    const { stdout } = await this.run(args, call);
    return stdout.toString('utf8').replace(/\n$/, '');
  }

  /** Runs git. Rejects with `GitError`. */
  run(args: readonly string[], call: GitCall = {}): Promise<GitOutput> {
    const { okCodes = [0], limitMs = LIMIT_MS, maxBytes = MAX_BYTES } = call;
    const { promise, resolve, reject } = Promise.withResolvers<GitOutput>();
    const ended = (error: ExecFileException | null, stdout: Buffer, stderr: Buffer): void => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number' && okCodes.includes(exitCode)) resolve({ stdout, exitCode });
      else if (error !== null) reject(failureOf(error, args, stderr, call));
      else reject(new GitError('failed', `git ${args[0]}: unexpected exit code 0`));
    };
    const child = execFile(
      this.#program,
      [...SAFE_OPTIONS, ...(call.hasPatterns === true ? [] : LITERAL), ...args],
      {
        cwd: call.cwd ?? '/',
        env: this.#environment(call),
        encoding: 'buffer',
        timeout: limitMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxBytes,
        windowsHide: true,
        ...(this.#signal && { signal: this.#signal }),
      },
      ended,
    );
    // A program that ends early closes its input. Its exit code tells the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.input ?? '');
    return promise;
  }

  #environment({ env, hasUserConfig = false }: GitCall): NodeJS.ProcessEnv {
    const config = hasUserConfig
      ? {}
      : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull };
    return { ...this.#env, ...config, ...env };
  }
}

function failureOf(
  error: ExecFileException,
  args: readonly string[],
  stderr: Buffer,
  { cwd = '/', limitMs = LIMIT_MS }: GitCall,
): GitError {
  const name = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`;
  if (error.code === 'ABORT_ERR') return new GitError('stopped', `${name}: was stopped`);
  if (error.code === 'ENOENT' && !existsSync(cwd))
    return new GitError('failed', `${name}: its folder is gone`);
  if (error.code === 'ENOENT') return new GitError('missing', `${name}: there is no git program`);
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new GitError('tooLarge', `${name}: the output is too large`);
  if (error.killed === true) return new GitError('late', `${name}: took longer than ${limitMs} ms`);
  const text = stderr.toString('utf8').trim().slice(0, 500);
  return new GitError('failed', `${name}: ${text === '' ? `exit code ${error.code}` : text}`);
}

/** Splits the NUL-terminated output of a call with `-z`. */
export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  if (start < output.length) parts.push(output.subarray(start));
  return parts;
}
