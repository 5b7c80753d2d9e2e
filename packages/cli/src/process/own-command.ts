import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { homely } from '../render/plain-text.ts';

/** Facts about the process from which `findOwnCommand` derives the command. */
export interface ProcessFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `undefined`: the working directory was removed. */
  readonly cwd: string | undefined;
  readonly home: string;
  /** The Node that runs. */
  readonly execPath: string;
  /** The file that Node was given, links followed. The same as `execPath`: Node and the program are one file. */
  readonly file: string;
}

const localBin = join('node_modules', '.bin');

/** The command line with which a user starts this program again from the same folder. */
export function findOwnCommand({ env, cwd, home, execPath, file }: ProcessFacts): string {
  // npm and npx put folders on PATH that the next shell does not have.
  const isNpm = env['npm_execpath'] !== undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const lasting = folders.filter((folder) => !(isNpm && folder.endsWith(localBin)));
  if (lasting.some((folder) => isProgram(join(folder, 'agenthost')))) return 'agenthost';
  if (file === execPath) return shellWord(file);
  if (cwd !== undefined && installedAbove(cwd) !== undefined) return 'npx agenthost';
  const installed = installedAbove(dirname(file));
  if (installed === undefined) return `${shellWord(execPath)} ${shellWord(file)}`;
  // npx finds a package in its own cache.
  if (installed.includes('/_npx/')) return 'npx agenthost';
  const shown = homely(installed, home);
  return `npx --prefix ${shellWord(shown.slice(1)) === shown.slice(1) ? shown : shellWord(installed)} agenthost`;
}

/** The nearest folder from here up where npx finds this program. */
function installedAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isProgram(join(at, localBin, 'agenthost'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for this user: no shell would start it.
    return false;
  }
}

let find = (): string => 'agenthost';
let found: string | undefined;

/** Sets how the process names its command; `how` runs when the first command line is shown. */
export function nameOwnCommand(how: () => string): void {
  find = how;
  found = undefined;
}

/** A phrase for hints with the folder where command lines work; '' if they work everywhere. */
export function commandPlace(): string {
  return commandLine('').startsWith('npx agenthost ') ? ', in this folder' : '';
}

/** A command line of this program, for hints. It works in the folder where this process was started. */
export function commandLine(args: string): string {
  found ??= find();
  return `${found} ${args}`;
}

/** A word as a shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
