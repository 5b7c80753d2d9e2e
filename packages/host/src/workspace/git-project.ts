import { basename, dirname } from 'node:path';
import type { ProjectInfo } from '@agenthost/protocol';
import type { Timers } from '../lib/clock.ts';
import { fileUriOf } from './file-uri.ts';
import { findRepository } from './git/repository.ts';
import { findRealPath } from './real-path.ts';
import { tolerant } from './tolerant.ts';

/** Time limit of the search. The disk of a folder may not answer. */
const LIMIT_MS = 1_000;

/**
 * The git repository of a folder, by the nearest `.git` above it. A linked worktree counts as its main repository, a submodule as a repository
 * of its own. `undefined` outside of repositories, and after a time limit. Works without git. Never rejects for errors of the file system.
 */
export async function findProject(folder: string, timers: Timers): Promise<ProjectInfo | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = timers.after(LIMIT_MS, () => late.resolve(undefined));
  try {
    const root = await Promise.race([findRoot(folder), late.promise]);
    return root === undefined ? undefined : { uri: fileUriOf(root), displayName: basename(root) || root };
  } finally {
    cancel();
  }
}

async function findRoot(folder: string): Promise<string | undefined> {
  const real = await tolerant(() => findRealPath(folder));
  if (real?.exists !== true) return undefined;
  const repository = await findRepository(real.path);
  if (repository === undefined) return undefined;
  const { root, gitDir, commonDir } = repository;
  if (commonDir === gitDir) return root;
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
}
