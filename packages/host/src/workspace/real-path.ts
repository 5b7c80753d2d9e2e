import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

const LINK_LIMIT = 40;

/** Where a path leads once every symbolic link is followed. */
export interface RealPath {
  /** What does not exist is appended to its deepest existing ancestor. */
  readonly path: string;
  readonly exists: boolean;
}

/**
 * Follows every link of an absolute path, of its missing tail too: a dangling link leads where its target would be. Rejects with
 * the system's error when a folder on the way may not be looked into, or links form a loop.
 */
export async function findRealPath(path: string, links = 0): Promise<RealPath> {
  try {
    return { path: await realpath(path), exists: true };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // From the root down, so that it costs what exists: a client can name thousands of folders that do not.
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

/** Whether the error says that there is nothing under a path. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG');
}

/** Whether a real path is a folder or lies in it, both real. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  // On Windows the way to another drive is an absolute path.
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
