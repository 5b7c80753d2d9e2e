import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The shell of a new terminal, and its folder. */
export interface ShellRequest {
  /** Absolute path of the shell. */
  readonly shell: string;
  /** Absolute path of an existing folder for this terminal's files, mode 0700. The caller removes it when the terminal has ended. */
  readonly folder: string;
  /** The complete environment of the shell. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: `process.platform`. On `darwin` shells are login shells, as terminals there start them. */
  readonly platform?: NodeJS.Platform;
}

/** Command and environment of the shell. */
export interface PreparedShell {
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** 32 hexadecimal digits in its marks. Absent: the shell has no integration. */
  readonly nonce?: string;
}

type Launch = Omit<PreparedShell, 'nonce'>;
type Preparation = (request: ShellRequest, nonce: string) => Promise<Launch>;

/**
 * Writes the files with which a shell reports its prompts and commands (`ShellMark`) into the folder, and returns how to start it. Knows bash,
 * zsh, fish and pwsh by the name of the program; other shells start without a nonce. The shell reads the user's own files as usual, and
 * none of them is written. The nonce is only in a file of mode 0600, which the shell empties or removes after reading: it is neither in the
 * environment nor on the command line. Rejects when the folder cannot be written.
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

/** bash ignores an init file as a login shell, so the script reads the files of a login shell. */
async function prepareBash(request: ShellRequest, nonce: string): Promise<Launch> {
  const file = await writeScript(request, 'bash.sh', [
    `__ah_mark=$'\\e]633;${nonce};'`,
    `__ah_login=${isLogin(request) ? 1 : 0}`,
  ]);
  return { command: [request.shell, '--init-file', file, '-i'], env: request.env };
}

/** The first file that zsh reads is ours. It restores ZDOTDIR before the files of the user. */
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

/** The kind of shell: `bash` for `/opt/bin/bash-5.2`. */
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
