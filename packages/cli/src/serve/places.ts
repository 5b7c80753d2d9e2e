import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { dataFolder, isFolder } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';

/** The folder of `--data`, which the host makes when it is not there. An empty text is none: it would be the folder one stands in. */
export function dataDirOf(context: Context, given: string | undefined): string {
  return given === undefined ? dataFolder(context) : named(context, '--data', given);
}

/** The folders of `--root`, each from where the command was called. `refuse` gets a line for each that is no folder. */
export async function rootsOf(
  context: Context,
  given: readonly string[] | undefined,
  refuse: (line: string) => void,
): Promise<readonly string[] | undefined> {
  const roots = given?.map((folder) => named(context, '--root', folder));
  for (const root of roots ?? [])
    if (!(await isFolder(root))) refuse(`--root: ${oneLine(root)} is not a folder`);
  return roots;
}

/**
 * A line for people about each folder of a config file's `roots` that is none. No reason not to start, as a `--root` is that somebody has just typed: a disk may
 * come later than a host that starts with the machine, and a folder counts from when it is there.
 */
export async function missingRoots(file: string, roots: readonly string[] = []): Promise<string[]> {
  const areFolders = await Promise.all(roots.map(isFolder));
  return roots.flatMap((root, index) =>
    areFolders[index] === true
      ? []
      : [`${oneLine(file)}: roots: ${oneLine(root)} is not a folder; sessions can use it once it exists`],
  );
}

/**
 * Rejects with a usage error for a `--host` that is a name of nothing: whatever else is wrong with it matters less. What else keeps a name from being looked up
 * (a server that does not answer, too many open files) is told by listening on it.
 */
export async function checkName(
  host: string,
  find: (name: string) => Promise<unknown> = lookup,
): Promise<void> {
  if (isIP(host) !== 0) return;
  try {
    await find(host);
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) throw cause;
    // `EINVAL`: longer than any name.
    if (cause.code !== 'ENOTFOUND' && cause.code !== 'EINVAL') return;
    throw usageError(`--host ${oneLine(host)}: the name does not exist; use an address of this machine`);
  }
}

function named({ cwd }: Context, option: string, given: string): string {
  if (given.trim() === '') throw usageError(`${option}: expected a folder, got nothing`);
  return resolve(cwd, given);
}
