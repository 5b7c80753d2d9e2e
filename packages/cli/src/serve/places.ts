import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { dataFolder, isFolder } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';

/** The folder of `--data`, which the host creates if it is missing. An empty text is refused: it would mean the current folder. */
export function dataDirOf(context: Context, given: string | undefined): string {
  return given === undefined ? dataFolder(context) : named(context, '--data', given);
}

/** The folders of `--root`, relative to the current folder. `refuse` gets a line for each path that is no folder. */
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
 * A message about each path in `roots` of a config file that is no folder. The host starts anyway, unlike with a wrong `--root` in the command: a disk may be
 * mounted after a host that starts at boot. Sessions can use such a folder once it exists.
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
 * Rejects with a usage error if the name of `--host` does not exist. Other failures of the lookup (a name server that does not answer, too many open files)
 * are reported when the host listens.
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
