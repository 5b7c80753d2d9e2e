import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { type Git, GitError } from './git.ts';
import type { Repository } from './repository.ts';
import { askGit, userGit, WorktreeRefusal } from './worktree-base.ts';

/** Time limit of the checkout of a worktree. */
const CHECKOUT_LIMIT_MS = 10 * 60_000;
/** Longest name of a branch that is made from a title, in UTF-16 code units. */
const MAX_SLUG_LENGTH = 40;

/** A new worktree. */
export interface NewWorktree {
  /** Absolute path of a folder that does not exist. */
  readonly path: string;
  readonly branch: string;
  /** Id of the commit to start from. */
  readonly commit: string;
}

/**
 * Makes a linked worktree with a new branch. Programs that convert files (filters) run as in the user's own git; hooks do not. Rejects with
 * `WorktreeRefusal`; then nothing of it is left.
 */
export async function addWorktree(
  git: Git,
  repository: Repository,
  { path, branch, commit }: NewWorktree,
): Promise<void> {
  // The branch first: if somebody else has this name, that branch stays.
  await refusing(() =>
    userGit(git, repository, ['branch', '--no-track', '--end-of-options', branch, commit]),
  );
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const args = ['worktree', 'add', '--quiet', '--', path, branch];
    await refusing(() => userGit(git, repository, args, CHECKOUT_LIMIT_MS));
  } catch (error) {
    await dropWorktree(git, repository, { path, branch, commit });
    throw error;
  }
}

async function refusing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new WorktreeRefusal(`The worktree was not made: ${error.message}`, { cause: error });
  }
}

/** Removes all of a worktree that was not finished, in which nobody has worked. Never rejects for errors of git. */
export async function dropWorktree(
  git: Git,
  repository: Pick<Repository, 'root'>,
  { path, branch, commit }: NewWorktree,
): Promise<void> {
  await askGit(git, repository, ['worktree', 'remove', '--force', '--force', '--', path]);
  await rm(path, { recursive: true, force: true });
  await removeIfEmpty(dirname(path));
  await askGit(git, repository, ['worktree', 'prune']);
  await deleteBranch(git, repository, branch, commit);
}

/** Deletes a branch if it still points to this commit. */
export async function deleteBranch(
  git: Git,
  repository: Pick<Repository, 'root'>,
  branch: string,
  commit: string,
): Promise<void> {
  const deleted = await askGit(git, repository, ['update-ref', '-d', `refs/heads/${branch}`, commit]);
  if (deleted !== undefined)
    await askGit(git, repository, ['config', '--remove-section', `branch.${branch}`]);
}

/** Removes the folder of a worktree. Without `isForced` git refuses if it has changes. Commits and branches stay. Rejects with `GitError`. */
export async function removeWorktree(
  git: Git,
  repository: Pick<Repository, 'root'>,
  path: string,
  { isForced = false } = {},
): Promise<void> {
  await userGit(
    git,
    repository,
    ['worktree', 'remove', ...(isForced ? ['--force', '--force'] : []), '--', path],
    CHECKOUT_LIMIT_MS,
  );
  await removeIfEmpty(dirname(path));
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Others may use it.
    if (errorCode(error) === undefined) throw error;
  }
}

/** A name for a new branch: from a title if there is one, else from an id. No branch has it yet. */
export async function freeBranchName(
  git: Git,
  repository: Repository,
  { title, id }: { readonly title: string; readonly id: string },
): Promise<string> {
  const text = await userGit(git, repository, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  // Some file systems do not tell upper case from lower case.
  const taken = new Set(text.split('\n').map((name) => name.toLowerCase()));
  // Git cannot store a branch below the name of another one.
  const prefix = taken.has('agenthost') ? 'agenthost-' : 'agenthost/';
  const stem = `${prefix}${slugOf(title) || slugOf(id) || 'session'}`;
  const isFree = (name: string): boolean =>
    !taken.has(name) && ![...taken].some((other) => other.startsWith(`${name}/`));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    if (isFree(name)) return name;
  }
}

/** Lower-case letters, digits and single hyphens, which are valid in the name of a branch. */
export function slugOf(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  let slug = '';
  for (const word of words ?? []) {
    const longer = slug === '' ? word.slice(0, MAX_SLUG_LENGTH) : `${slug}-${word}`;
    if (longer.length > MAX_SLUG_LENGTH) break;
    slug = longer;
  }
  return slug;
}

/** Renames a branch, also where it is checked out. Returns false if it is gone, or follows a branch of a remote. */
export async function renameBranch(
  git: Git,
  repository: Pick<Repository, 'root'>,
  from: string,
  to: string,
): Promise<boolean> {
  const upstream = await askGit(git, repository, [
    'for-each-ref',
    '--format=%(refname)%00%(upstream)',
    `refs/heads/${from}`,
  ]);
  if (upstream !== `refs/heads/${from}\0`) return false;
  return (await askGit(git, repository, ['branch', '--move', '--end-of-options', from, to])) !== undefined;
}

/** A working tree of a repository, as git lists it. */
export interface ListedWorktree {
  readonly path: string;
  /** Absent: none is checked out. */
  readonly branch?: string;
  readonly isBare: boolean;
}

/** All working trees of a repository. The first one is the main one. */
export async function listWorktrees(
  git: Git,
  repository: Pick<Repository, 'root'>,
): Promise<ListedWorktree[]> {
  const text = await userGit(git, repository, ['worktree', 'list', '--porcelain', '-z']);
  return text.split('\0\0').flatMap((block) => {
    const fields = new Map(
      block.split('\0').map((line) => {
        const space = line.indexOf(' ');
        return space < 0 ? ([line, ''] as const) : ([line.slice(0, space), line.slice(space + 1)] as const);
      }),
    );
    const path = fields.get('worktree');
    const branch = fields.get('branch')?.replace(/^refs\/heads\//, '');
    return path === undefined
      ? []
      : [{ path, isBare: fields.has('bare'), ...(branch === undefined ? {} : { branch }) }];
  });
}
