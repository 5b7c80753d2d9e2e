import { errorCode } from '@agenthost/protocol/values';
import type { PrivatePaths } from './private-paths.ts';
import { findRealPath, isWithin, type RealPath } from './real-path.ts';

/** What clients may see of the file system. */
export interface PathPolicyOptions {
  /** Absolute paths of the present sessions' working directories; asked anew for each decision. */
  readonly workingDirectories: () => Promise<readonly string[]> | readonly string[];
  /** What is never seen, wherever it lies. */
  readonly privatePaths: Pick<PrivatePaths, 'covers'>;
}

/**
 * Decides by real paths, after symbolic links [RES-2]. Answers hold for the moment: what is opened afterwards has to be checked
 * to be what was decided on.
 */
export class PathPolicy {
  readonly #options: PathPolicyOptions;

  constructor(options: PathPolicyOptions) {
    this.#options = options;
  }

  /** Reading: within the working directories of existing sessions, the host's own aside. */
  async mayRead(path: RealPath): Promise<'yes' | 'outside' | 'private'> {
    if (!(await isWithinAny(path.path, await this.#options.workingDirectories()))) return 'outside';
    return (await this.#options.privatePaths.covers(path.path)) ? 'private' : 'yes';
  }
}

/** Whether a real path lies in one of the folders, which are followed to their real paths first; missing ones hold nothing. */
export async function isWithinAny(path: string, folders: readonly string[]): Promise<boolean> {
  const distinct = new Set(folders);
  // A folder whose name is on the way is most often the one, and asking for the others costs a system call each.
  for (const folder of distinct) {
    if (isWithin(path, folder) && (await holds(folder, path))) return true;
  }
  for (const folder of distinct) {
    if (!isWithin(path, folder) && (await holds(folder, path))) return true;
  }
  return false;
}

async function holds(folder: string, path: string): Promise<boolean> {
  try {
    const real = await findRealPath(folder);
    return real.exists && isWithin(path, real.path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
