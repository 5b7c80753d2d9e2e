import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

const LINK_LIMIT = 40;

/** A path after all symbolic links. */
export interface RealPath {
  /** Missing segments are appended to the real path of the deepest existing ancestor. */
  readonly path: string;
  readonly exists: boolean;
}

/**
 * Follows all links of an absolute path, including dangling ones, which lead to their missing target. Rejects with the system's error when a
 * folder on the way is not accessible, or links form a loop.
 */
export async function findRealPath(path: string, links = 0): Promise<RealPath> {
  try {
    return { path: await realpath(path), exists: true };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // From the root down, so that the cost depends on existing folders: a client can name thousands of missing ones.
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let real = root;
  for (const [index, name] of names.entries()) {
    const next = join(real, name);
    const found = await realpath(next).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (found !== undefined) {
      real = found;
      continue;
    }
    const rest = names.slice(index + 1);
    const target = await danglingTarget(next);
    if (target === undefined) return { path: join(next, ...rest), exists: false };
    if (links >= LINK_LIMIT) throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
    return { path: (await findRealPath(join(target, ...rest), links + 1)).path, exists: false };
  }
  // It came while it was looked for.
  return { path: real, exists: true };
}

/** Where a link points whose target does not exist; `undefined` when it is no link. */
async function danglingTarget(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return undefined;
    return resolve(dirname(path), await readlink(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the error means that a path does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG');
}

/** Whether a real path is a folder or lies in it, both real. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows the way to another drive is an absolute path.
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
