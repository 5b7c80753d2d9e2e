import { type Git, GitError } from './git.ts';
import { operationOf } from './git-state.ts';
import { findRepository, type Repository } from './repository.ts';
import { listWorktrees } from './worktree.ts';
import { askGit, countBetween, currentBranch, userGit, WorktreeRefusal } from './worktree-base.ts';
import { statusOf } from './worktree-state.ts';

/** At most this many files are named in a refusal. */
const NAMED_FILES = 5;

/** A branch, and the branch to merge it into. */
export interface BranchMerge {
  readonly branch: string;
  readonly base: string;
}

/** The outcome of a merge. */
export interface MergeOutcome {
  /** Commits that the base has now in addition, without that of the merge itself. 0: it had all. */
  readonly count: number;
  /** The new commit of the base. */
  readonly commit: string;
}

/**
 * Merges a branch into its base, where the base is checked out, or without a checkout. Rejects with `WorktreeRefusal` on conflicts, on changes
 * of tracked files in the checkout of the base, and if git refuses; then nothing has changed.
 */
export async function mergeInto(
  git: Git,
  repository: Repository,
  { branch, base }: BranchMerge,
): Promise<MergeOutcome> {
  const tipOf = async (name: string): Promise<string> => {
    const commit = await askGit(git, repository, [
      'rev-parse',
      '--verify',
      '--quiet',
      `refs/heads/${name}^{commit}`,
    ]);
    if (commit === undefined) throw new WorktreeRefusal(`There is no branch ${name} any more`);
    return commit;
  };
  const tip = await tipOf(branch);
  const old = await tipOf(base);
  const { ahead, behind } = await countBetween(git, repository, tip, old);
  if (ahead === 0) return { count: 0, commit: old };
  const tree = behind === 0 ? undefined : await mergedTree(git, repository, old, tip);
  const place = (await listWorktrees(git, repository)).find((each) => each.branch === base);
  if (place === undefined) {
    const commit =
      tree === undefined ? tip : await mergeCommit(git, repository, { branch, base, old, tip, tree });
    await moveBase(git, repository, { base, from: old, to: commit });
    return { count: ahead, commit };
  }
  await mergeAt(git, place.path, branch);
  return { count: ahead, commit: await tipOf(base) };
}

/** The tree of a merge, without touching any file. Rejects with `WorktreeRefusal` on conflicts. */
async function mergedTree(git: Git, { root }: Repository, old: string, tip: string): Promise<string> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', old, tip];
  let output: { readonly stdout: Buffer; readonly exitCode: number };
  try {
    output = await git.run(args, { cwd: root, hasUserConfig: true, okCodes: [0, 1] });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new WorktreeRefusal(`The merge cannot be tried (git 2.38 or newer is needed): ${error.message}`, {
      cause: error,
    });
  }
  const [tree = '', ...conflicts] = output.stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
  if (output.exitCode === 0) return tree;
  const files = [...new Set(conflicts)];
  const more = files.length > NAMED_FILES ? `, and ${files.length - NAMED_FILES} more` : '';
  throw new WorktreeRefusal(
    `Both sides have changed ${files.slice(0, NAMED_FILES).join(', ')}${more}: merge the base into the worktree first, and resolve the conflicts there`,
  );
}

async function mergeCommit(
  git: Git,
  repository: Repository,
  { branch, base, old, tip, tree }: BranchMerge & { old: string; tip: string; tree: string },
): Promise<string> {
  const isSigned =
    (await askGit(git, repository, ['config', '--type=bool', '--get', 'commit.gpgSign'])) === 'true';
  const message = `Merge branch '${branch}' into ${base}`;
  const args = ['commit-tree', ...(isSigned ? ['-S'] : []), '-p', old, '-p', tip, '-m', message, tree];
  return refusing(() => userGit(git, repository, args));
}

async function moveBase(
  git: Git,
  repository: Repository,
  { base, from, to }: { base: string; from: string; to: string },
): Promise<void> {
  await refusing(() =>
    userGit(git, repository, ['update-ref', '-m', 'merge of a worktree', `refs/heads/${base}`, to, from]),
  );
}

/** Merges in the working tree that has the base checked out. */
async function mergeAt(git: Git, path: string, branch: string): Promise<void> {
  const place = await checkoutAt(path);
  await checkClean(git, place);
  try {
    await userGit(git, place, ['merge', '--no-edit', '--quiet', `refs/heads/${branch}`]);
  } catch (error) {
    await askGit(git, place, ['merge', '--abort']);
    if (!(error instanceof GitError)) throw error;
    throw new WorktreeRefusal(`The merge in ${path} failed, and nothing has changed: ${error.message}`, {
      cause: error,
    });
  }
}

async function checkoutAt(path: string): Promise<Repository> {
  const place = await findRepository(path);
  if (place?.root !== path) throw new WorktreeRefusal(`The checkout ${path} is gone`);
  return place;
}

/** Rejects with `WorktreeRefusal` if a checkout has changes of tracked files, or git is in the middle of something there. */
async function checkClean(git: Git, place: Repository): Promise<void> {
  const operation = await operationOf(place);
  if (operation !== undefined)
    throw new WorktreeRefusal(`A ${operation} is unfinished in ${place.root}: end it first`);
  const { tracked } = await statusOf(git, place);
  if (tracked > 0)
    throw new WorktreeRefusal(
      `${place.root} has ${tracked === 1 ? '1 changed file' : `${tracked} changed files`}: commit or stash the changes first`,
    );
}

/**
 * Checks out the branch of a worktree in another checkout. The worktree keeps its files, and no branch is checked out there. Rejects with
 * `WorktreeRefusal`; then nothing has changed.
 */
export async function openBranchAt(
  git: Git,
  worktree: Repository,
  { branch, checkout }: { readonly branch: string; readonly checkout: string },
): Promise<void> {
  const place = await checkoutAt(checkout);
  if ((await currentBranch(git, place)) === branch) return;
  await checkClean(git, place);
  if ((await currentBranch(git, worktree)) !== branch)
    throw new WorktreeRefusal(`The branch ${branch} is not checked out in the worktree`);
  await refusing(() => userGit(git, worktree, ['checkout', '--quiet', '--detach']));
  try {
    await userGit(git, place, ['checkout', '--quiet', '--no-guess', branch, '--']);
  } catch (error) {
    await userGit(git, worktree, ['checkout', '--quiet', '--no-guess', branch, '--']);
    if (!(error instanceof GitError)) throw error;
    throw new WorktreeRefusal(`The branch cannot be opened in ${checkout}: ${error.message}`, {
      cause: error,
    });
  }
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new WorktreeRefusal(`Git refuses: ${error.message}`, { cause: error });
  }
}
