import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ProjectInfo } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import type { Timers } from '../lib/clock.ts';
import { fileUriOf } from './file-uri.ts';
import { findRealPath } from './real-path.ts';

/** A session does not wait longer for it: folders may lie on disks that do not answer. */
const LIMIT_MS = 1_000;
/** Files that only name another folder are shorter than this, in UTF-16 code units. */
const MAX_POINTER_LENGTH = 8_192;

/**
 * The git repository that a folder lies in, by the nearest `.git` above it; a linked worktree counts as the repository it was made
 * from, a submodule as one of its own. `undefined` outside of repositories, and where it cannot be found out soon. Runs nothing: git
 * need not be there. Never rejects for what the file system says.
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

/** The project whose working tree begins in this folder. */
async function rootAt(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const found = await tolerant(() => stat(git));
  if (found?.isDirectory() === true) return (await isGitFolder(git)) ? folder : undefined;
  if (found?.isFile() !== true || found.size > MAX_POINTER_LENGTH) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec((await tolerant(() => readFile(git, 'utf8'))) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const gitFolder = resolve(folder, pointer.trim());
  if (!(await isGitFolder(gitFolder))) return undefined;
  // Worktrees name the folder that they share; submodules have all of theirs to themselves.
  const shared = await tolerant(() => readFile(join(gitFolder, 'commondir'), 'utf8'));
  if (shared === undefined || shared.length > MAX_POINTER_LENGTH) return folder;
  const common = resolve(gitFolder, shared.trim());
  return basename(common) === '.git' ? dirname(common) : common;
}

/** An empty folder of that name, say, is none. */
async function isGitFolder(path: string): Promise<boolean> {
  return (await tolerant(() => stat(join(path, 'HEAD'))))?.isFile() === true;
}

/** What the file system says against it counts as not there. */
async function tolerant<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
