import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from '../real-path.ts';
import type { FileChange } from './tree-source.ts';

/** Folders that are looked at together. */
const AT_ONCE = 64;

/**
 * Leaves out changes below a folder that is a link now: the watcher may have followed the link before it saw that it is one. `root` is a real path,
 * which the caller has checked.
 */
export async function onlyReal(root: string, changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const known = new Map<string, Promise<boolean>>([[root, Promise.resolve(true)]]);
  const isReal = (folder: string): Promise<boolean> => {
    let found = known.get(folder);
    if (found === undefined) {
      found = Promise.all([isReal(dirname(folder)), isNoLink(folder)]).then((both) => both.every(Boolean));
      known.set(folder, found);
    }
    return found;
  };
  const real: FileChange[] = [];
  for (let at = 0; at < changes.length; at += AT_ONCE) {
    const some = changes.slice(at, at + AT_ONCE);
    const verdicts = await Promise.all(some.map(({ path }) => isReal(path === root ? root : dirname(path))));
    real.push(...some.filter((_, index) => verdicts[index] === true));
  }
  return real;
}

/** Whether a path is no link. What is missing is none. */
async function isNoLink(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isSymbolicLink();
  } catch (error) {
    return isMissing(error);
  }
}
