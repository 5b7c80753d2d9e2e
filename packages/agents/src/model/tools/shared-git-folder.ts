import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Longest file of git with a path, in bytes. */
const MAX_BYTES = 8 * 1024;

/**
 * The `.git` folder of the repository that a git worktree belongs to: a commit in the worktree writes there. `undefined` for a folder that is
 * not the top of a worktree. The repository must name the worktree too, because what is in the working directory alone could name any folder.
 */
export async function sharedGitFolder(folder: string): Promise<string | undefined> {
  const link = join(folder, '.git');
  const named = /^gitdir: (.+)$/.exec((await firstLine(link)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = await realpath(resolve(folder, named)).catch(() => undefined);
  if (own === undefined || basename(dirname(own)) !== 'worktrees') return undefined;
  const back = await firstLine(join(own, 'gitdir'));
  const isMutual = back !== undefined && (await isSame(resolve(own, back), link));
  return isMutual ? dirname(dirname(own)) : undefined;
}

/** `undefined` for what is no readable file. */
async function firstLine(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_BYTES) });
    return buffer.toString('utf8', 0, bytesRead).split('\n')[0]?.trim();
  } finally {
    await file.close();
  }
}

async function isSame(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([left, right].map((path) => realpath(path).catch(() => undefined)));
  return a !== undefined && a === b;
}
