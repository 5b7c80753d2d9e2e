import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import { dataFolder } from '../folders.ts';
import { isFolder } from '../is-folder.ts';
import { oneLine } from '../render/plain-text.ts';

/** The folder of `--data`, which the host makes when it is not there. An empty text is none: it would be the folder one stands in. */
export function dataDirOf(context: Context, given: string | undefined): string {
  return given === undefined ? dataFolder(context) : named(context, '--data', given);
}

/** The folders of `--root`, each from where the command was called. Rejects with a usage error for what is no folder. */
export async function rootsOf(
  context: Context,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  const roots = given?.map((folder) => named(context, '--root', folder));
  for (const root of roots ?? [])
    if (!(await isFolder(root))) throw usageError(`--root: ${oneLine(root)} is no folder`);
  return roots;
}

function named({ cwd }: Context, option: string, given: string): string {
  if (given.trim() === '') throw usageError(`${option}: expected a folder, got nothing`);
  return resolve(cwd, given);
}
