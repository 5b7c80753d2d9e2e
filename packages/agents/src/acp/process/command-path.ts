import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { objectOf, textOf } from '../json.ts';
import type { AcpLog } from '../runtime.ts';

/**
 * Finds the executable of a command: an absolute path as it is, or a bare name on `path` (the host's PATH).
 * Relative entries of PATH are skipped and a relative path finds nothing, so a command never comes from a
 * working directory.
 */
export function findCommand(command: string, path: string | undefined): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  if (command.includes('/') || command.includes(sep)) return undefined;
  for (const folder of (path ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, command);
    if (isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Missing or not permitted: not usable as a command.
    return false;
  }
}

/** A text that changes when an executable is replaced or written anew. */
export function identityOf(file: string): string {
  try {
    const real = realpathSync(file);
    const { mtimeMs, size } = statSync(real);
    return `${real} ${mtimeMs} ${size}`;
  } catch {
    // The executable was removed meanwhile.
    return file;
  }
}

/**
 * The version of the npm package that contains an executable, read without running it. `undefined` when there
 * is none.
 */
export function packageVersionOf(file: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(file)); ; folder = dirname(folder)) {
      const version = readVersion(join(folder, 'package.json'));
      if (version !== undefined) return version;
      if (folder === dirname(folder) || folder.endsWith(`${sep}node_modules`)) return undefined;
    }
  } catch {
    // The executable was removed meanwhile.
    return undefined;
  }
}

function readVersion(file: string): string | undefined {
  try {
    const value = objectOf(JSON.parse(readFileSync(file, 'utf8')));
    // The package of the command has a `bin`; an inner package.json may only set the module type.
    return value['bin'] === undefined ? undefined : textOf(value['version']);
  } catch {
    // No package.json here, or an invalid one.
    return undefined;
  }
}

/** Time limit for `--version`, in milliseconds. */
const VERSION_TIMEOUT_MS = 5_000;

/** The version that `<command> --version` prints. `undefined` when it prints none in time. */
export function runVersion(
  file: string,
  env: Readonly<Record<string, string>>,
  log: AcpLog,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      ['--version'],
      { env, timeout: VERSION_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 },
      (error, stdout) => {
        if (error !== null) log('debug', 'agent version unknown', { file, error: error.message });
        resolve(/\d+\.\d+[^\s,;)]*/.exec(stdout)?.[0]);
      },
    );
    // A program that ignores `--version` and starts its protocol sees the end of its input.
    child.stdin?.end();
  });
}
