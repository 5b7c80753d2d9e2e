import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findRealPath } from '../real-path.ts';
import { tolerant } from '../tolerant.ts';
import { type Git, splitNul } from './git.ts';
import { operationOf } from './git-state.ts';
import { environmentOf, findRepository, type Repository } from './repository.ts';
import { configuredNames, withoutFilters } from './status.ts';
import { askGit, type Base, countBetween, currentBranch } from './worktree-base.ts';

/** Paths of a working tree that differ from its last commit. */
export interface TreeStatus {
  /** Files of the last commit, or of the index. */
  readonly tracked: number;
  readonly untracked: number;
}

/**
 * Counts changed files by the rules of the user's git. Programs that convert files do not run. Writes nothing.
 * @param except untracked paths that do not count
 */
export async function statusOf(
  git: Git,
  repository: Repository,
  except: readonly string[] = [],
): Promise<TreeStatus> {
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--no-renames'];
  const { stdout } = await git.run([...args, '--ignore-submodules=none'], {
    cwd: repository.root,
    env: { ...environmentOf(repository), ...withoutFilters(await configuredNames(git, repository)) },
    hasUserConfig: true,
  });
  const lines = splitNul(stdout).map((line) => line.toString('utf8'));
  const untracked = lines.filter((line) => line.startsWith('??')).map((line) => line.slice(3));
  return {
    tracked: lines.length - untracked.length,
    untracked: untracked.filter((path) => !except.includes(path)).length,
  };
}

/** Facts on a worktree from git. */
export interface WorktreeState {
  /** Absent: no branch is checked out. */
  readonly branch?: string;
  /** Id of the commit that is checked out. */
  readonly commit: string;
  readonly changed: TreeStatus;
  /** Commits that the base lacks. */
  readonly ahead: number;
  /** Commits of the base that the worktree lacks. */
  readonly behind: number;
  /** Whether all its commits are in its base, or in the branch of a remote that the base follows. */
  readonly isMerged: boolean;
  /** Whether all its commits are in branches of remotes, as far as is known here. */
  readonly isPushed: boolean;
  /** Whether all its commits are in the base or in a branch. */
  readonly isOnBranch: boolean;
  readonly operation?: string;
  /** Whether it has submodules of its own, whose commits are stored in it. */
  readonly hasSubmodules: boolean;
}

/** A worktree to look at. */
export interface KnownWorktree {
  /** Absolute path of its root. */
  readonly path: string;
  /** The git folder with the objects of its repository. */
  readonly commonDir: string;
  readonly base: Base & { readonly upstream?: string };
  /** Paths of links that the host has made in it, which are no work of anybody. */
  readonly links: readonly string[];
}

/** The state of a worktree. `undefined` if git knows none there. */
export async function worktreeStateOf(
  git: Git,
  { path, commonDir, base, links }: KnownWorktree,
): Promise<WorktreeState | undefined> {
  // Something else may have taken its place: a link, or a `.git` file that names another repository.
  if ((await findRealPath(path)).path !== path) return undefined;
  const repository = await findRepository(path);
  if (repository === undefined || repository.root !== path) return undefined;
  if (repository.gitDir === repository.commonDir) return undefined;
  const [own, expected] = await Promise.all(
    [repository.commonDir, commonDir].map((each) => findRealPath(each)),
  );
  if (own?.path !== expected?.path) return undefined;
  const commit = await askGit(git, repository, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (commit === undefined) return undefined;
  const ref =
    base.kind === 'commit'
      ? base.commit
      : `refs/${base.kind === 'branch' ? 'heads' : 'remotes'}/${base.name}`;
  const tip = (await commitAt(git, repository, ref)) ?? base.commit;
  const { ahead, behind } = await countBetween(git, repository, commit, tip);
  const upstream =
    base.upstream === undefined
      ? undefined
      : await commitAt(git, repository, `refs/remotes/${base.upstream}`);
  const isInUpstream = async (): Promise<boolean> =>
    upstream !== undefined && (await countBetween(git, repository, commit, upstream)).ahead === 0;
  const isIn = async (refs: string): Promise<boolean> =>
    (await askGit(git, repository, ['for-each-ref', '--count=1', `--contains=${commit}`, refs])) !== '';
  const branch = await currentBranch(git, repository);
  const operation = await operationOf(repository);
  return {
    commit,
    changed: await statusOf(git, repository, links),
    ahead,
    behind,
    isMerged: ahead === 0 || (await isInUpstream()),
    isPushed: await isIn('refs/remotes'),
    isOnBranch: ahead === 0 || (await isIn('refs/heads')),
    hasSubmodules: (await tolerant(() => stat(join(repository.gitDir, 'modules')))) !== undefined,
    ...(branch === undefined ? {} : { branch }),
    ...(operation === undefined ? {} : { operation }),
  };
}

const commitAt = (git: Git, repository: Repository, ref: string): Promise<string | undefined> =>
  askGit(git, repository, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);

/** Why removing a worktree would lose work. `undefined`: it would not. */
export function workIn(state: WorktreeState): string | undefined {
  const { tracked, untracked } = state.changed;
  const files = tracked + untracked;
  if (files > 0) return files === 1 ? '1 uncommitted file' : `${files} uncommitted files`;
  if (state.operation !== undefined) return `an unfinished ${state.operation}`;
  if (state.hasSubmodules) return 'submodules, whose commits are stored in it';
  if (state.isMerged || state.isPushed) return undefined;
  return state.ahead === 1
    ? '1 commit that is not merged or pushed'
    : `${state.ahead} commits that are not merged or pushed`;
}
