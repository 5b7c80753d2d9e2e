import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostTarget } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { isFolder } from '../process/is-folder.ts';
import { oneLine } from '../render/plain-text.ts';

/**
 * The folder to work in, as a `file:` URI; left to the host when it is not on this machine and no folder was named. Rejects
 * with a usage error.
 */
export async function folderFor(
  context: Context,
  cwd: string | undefined,
  target: HostTarget,
): Promise<string | undefined> {
  if (cwd === undefined && !target.isOwn) return undefined;
  const path = resolve(context.cwd, cwd ?? '.');
  if (target.isOwn && !(await isFolder(path))) throw usageError(`--cwd: ${oneLine(path)} is no folder`);
  return pathToFileURL(path).href;
}
