import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What a terminal is to run, and where. */
export interface ShellRequest {
  /** Absolute path of the shell. */
  readonly shell: string;
  /** For this terminal's files alone: exists, absolute, mode 0700. Whoever made it removes it when the terminal has ended. */
  readonly folder: string;
  /** The whole environment, as the shell would get it. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: `process.platform`. On `darwin` shells are login shells, as terminals there start them. */
  readonly platform?: NodeJS.Platform;
}

/** How to start it. */
export interface PreparedShell {
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** 32 hexadecimal digits that its marks carry. Absent: this shell reports nothing. */
  readonly nonce?: string;
}

type Launch = Omit<PreparedShell, 'nonce'>;
type Preparation = (request: ShellRequest, nonce: string) => Promise<Launch>;

/**
 * Writes what a shell needs to report its prompts and commands (`ShellMark`) into the folder, and says how to start it: bash,
 * zsh, fish and pwsh, told by the name of the program; every other one is started plainly, without a nonce. The user's own
 * files are read by the shell as ever and never written. The nonce is in a file of mode 0600 alone, which the shell empties
 * or removes as soon as it has read it: neither in the environment nor on the command line. Rejects when the folder cannot be
 * written.
 */
export async function prepareShell(request: ShellRequest): Promise<PreparedShell> {
  const prepare = PREPARATIONS.get(kindOf(request.shell));
  if (prepare === undefined) return { command: [request.shell], env: request.env };
  const nonce = randomBytes(16).toString('hex');
  return { ...(await prepare(request, nonce)), nonce };
}

const PREPARATIONS: ReadonlyMap<string, Preparation> = new Map<string, Preparation>([
  ['bash', prepareBash],
  ['zsh', prepareZsh],
  ['fish', prepareFish],
  ['pwsh', preparePwsh],
]);

/** bash cannot be a login shell with an init file, so that the script reads the files of one. */
async function prepareBash(request: ShellRequest, nonce: string): Promise<Launch> {
  const file = await writeScript(request, 'bash.sh', [
    `__ah_mark=$'\\e]633;${nonce};'`,
    `__ah_login=${isLogin(request) ? 1 : 0}`,
  ]);
  return { command: [request.shell, '--init-file', file, '-i'], env: request.env };
}

/** The first file that zsh reads is ours, and gives ZDOTDIR back before it goes on with those of the user. */
async function prepareZsh(request: ShellRequest, nonce: string): Promise<Launch> {
  const { shell, folder, env } = request;
  const own = env['ZDOTDIR'];
  await writeScript(
    request,
    'zsh.sh',
    [
      `__ah_mark=$'\\e]633;${nonce};'`,
      own === undefined ? 'unset ZDOTDIR' : `ZDOTDIR=${quoteForPosix(own)}`,
      `__ah_file=${quoteForPosix(join(folder, '.zshenv'))}`,
    ],
    '.zshenv',
  );
  return {
    command: [shell, isLogin(request) ? '-il' : '-i'],
    env: { ...env, ZDOTDIR: folder },
  };
}

async function prepareFish(request: ShellRequest, nonce: string): Promise<Launch> {
  const file = await writeScript(request, 'fish.fish', [`set -g __ah_mark \\e']633;${nonce};'`]);
  const source = `source ${quoteForFish(file)}`;
  return {
    command: [request.shell, isLogin(request) ? '-il' : '-i', '--init-command', source],
    env: request.env,
  };
}

async function preparePwsh(request: ShellRequest, nonce: string): Promise<Launch> {
  const file = await writeScript(request, 'pwsh.ps1', [`$Global:__AhMark = "$([char]27)]633;${nonce};"`]);
  const source = `. '${file.replaceAll("'", "''")}'`;
  const login = isLogin(request) ? ['-Login'] : [];
  return {
    command: [request.shell, ...login, '-NoExit', '-Command', source],
    env: request.env,
  };
}

/** `/opt/bin/bash-5.2` is a bash. */
function kindOf(shell: string): string {
  return basename(shell).replace(/[-.\d]*(\.exe)?$/, '');
}

function isLogin({ platform = process.platform }: ShellRequest): boolean {
  return platform === 'darwin';
}

async function writeScript(
  { folder }: ShellRequest,
  script: string,
  lines: readonly string[],
  name = script,
): Promise<string> {
  const file = join(folder, name);
  const text = await readFile(join(import.meta.dirname, script), 'utf8');
  await writeFile(file, `${lines.join('\n')}\n${text}`, { mode: 0o600, flag: 'wx' });
  return file;
}

function quoteForPosix(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
