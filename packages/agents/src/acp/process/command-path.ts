import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { objectOf, textOf } from '../json.ts';

/**
 * Finds the executable that a command names: an absolute path as it is, a bare name on `path` (the host's PATH). Relative entries of
 * PATH are passed over and a relative path finds nothing: a command never comes from a working directory.
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
    // Missing or not permitted: not a command for us either way.
    return false;
  }
}

/** The version of the npm package that an executable belongs to, without running it; `undefined` when it belongs to none. */
export function packageVersionOf(file: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(file)); ; folder = dirname(folder)) {
      const version = readVersion(join(folder, 'package.json'));
      if (version !== undefined) return version;
      if (folder === dirname(folder) || folder.endsWith(`${sep}node_modules`)) return undefined;
    }
  } catch {
    // The executable went away meanwhile.
    return undefined;
  }
}

function readVersion(file: string): string | undefined {
  try {
    const value = objectOf(JSON.parse(readFileSync(file, 'utf8')));
    // The package that has the command says so; an inner package.json may only set the module type.
    return value['bin'] === undefined ? undefined : textOf(value['version']);
  } catch {
    // No package.json here, or not one of npm's.
    return undefined;
  }
}
