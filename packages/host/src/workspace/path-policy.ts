import { errorCode } from '@agenthost/protocol/values';
import type { PrivatePaths } from './private-paths.ts';
import { findRealPath, isWithin, type RealPath } from './real-path.ts';

/** Options of a `PathPolicy`. */
export interface PathPolicyOptions {
  /** Absolute paths of the sessions' working directories. Called for each decision. */
  readonly workingDirectories: () => Promise<readonly string[]> | readonly string[];
  /** Files that clients never see. */
  readonly privatePaths: Pick<PrivatePaths, 'covers'>;
}

/**
 * Decides which files clients may read, by real paths [RES-2]. A decision is valid only at that moment: after opening the file, check again that it is
 * the same one.
 */
export class PathPolicy {
  readonly #options: PathPolicyOptions;

  constructor(options: PathPolicyOptions) {
    this.#options = options;
  }

  /** Whether clients may read a path: within the working directories of existing sessions, without private files of the host. */
  async mayRead(path: RealPath): Promise<'yes' | 'outside' | 'private'> {
    if (!(await isWithinAny(path.path, await this.#options.workingDirectories()))) return 'outside';
    return (await this.#options.privatePaths.covers(path.path)) ? 'private' : 'yes';
  }
}

/** Whether a real path lies in the real path of one of the folders. Missing folders are ignored. */
export async function isWithinAny(path: string, folders: readonly string[]): Promise<boolean> {
  const distinct = new Set(folders);
  // Tries folders that are a prefix of the path first: each of the others costs a system call.
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
