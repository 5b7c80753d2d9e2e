import { isAbsolute, posix, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChangesetHandle } from '@agenthost/client';
import type { ChangesetFile, URI } from '@agenthost/protocol';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** A path from the first of the folders that contains it; otherwise the whole path. A URI that is no path stays. */
export function pathIn(folders: readonly URI[], uri: URI): string {
  const path = pathOf(uri);
  if (path === undefined) return uri;
  for (const folder of folders) {
    const root = pathOf(folder);
    const inside = root === undefined ? '..' : relative(root, path);
    if (inside !== '' && inside !== '..' && !inside.startsWith('../')) return inside;
  }
  return path;
}

function pathOf(uri: URI): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // No path of this machine.
    return undefined;
  }
}

/** Where paths of the command line count from. */
export interface PathPlace {
  readonly cwd: string;
  /** Whether the host runs on this machine. */
  readonly isOwn: boolean;
  /** The folders of the session. */
  readonly folders: readonly URI[];
}

/**
 * The changed file that a path names: from the current folder on the host's own machine, or from a folder of the session. Throws a usage error
 * when this file has not changed.
 */
export function changedFile(
  changes: ChangesetHandle,
  given: string,
  { cwd, isOwn, folders }: PathPlace,
): ChangesetFile {
  const roots = folders.flatMap((folder) => pathOf(folder) ?? []);
  const paths = isAbsolute(given)
    ? [given]
    : [...(isOwn ? [resolve(cwd, given)] : []), ...roots.map((root) => posix.resolve(root, given))];
  for (const path of paths) {
    const file = changes.file(pathToFileURL(path).href);
    if (file !== undefined) return file;
  }
  throw usageError(`${oneLine(given)}: this file has not changed`);
}
