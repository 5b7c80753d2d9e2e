import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ProjectInfo } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import type { Timers } from '../lib/clock.ts';
import { fileUriOf } from './file-uri.ts';
import { findRealPath } from './real-path.ts';

/** Time limit of the search. The disk of a folder may not answer. */
const LIMIT_MS = 1_000;
/** Limit of the length of a `.git` file, in UTF-16 code units. */
const MAX_POINTER_LENGTH = 8_192;

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
  for (let at = real.path; ; at = dirname(at)) {
    const root = await rootAt(at);
    if (root !== undefined) return root;
    if (dirname(at) === at) return undefined;
  }
}

/** The repository whose working tree has this root. */
async function rootAt(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const found = await tolerant(() => stat(git));
  if (found?.isDirectory() === true) return (await isGitFolder(git)) ? folder : undefined;
  if (found?.isFile() !== true || found.size > MAX_POINTER_LENGTH) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec((await tolerant(() => readFile(git, 'utf8'))) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const gitFolder = resolve(folder, pointer.trim());
  if (!(await isGitFolder(gitFolder))) return undefined;
  // A worktree has a `commondir` file, a submodule has none.
  const shared = await tolerant(() => readFile(join(gitFolder, 'commondir'), 'utf8'));
  if (shared === undefined || shared.length > MAX_POINTER_LENGTH) return folder;
  const common = resolve(gitFolder, shared.trim());
  return basename(common) === '.git' ? dirname(common) : common;
}

/** Whether a folder is a git folder: it has a `HEAD`. */
async function isGitFolder(path: string): Promise<boolean> {
  return (await tolerant(() => stat(join(path, 'HEAD'))))?.isFile() === true;
}

/** `undefined` for an error of the file system. */
async function tolerant<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
