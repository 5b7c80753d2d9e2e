import { type GitState, operationOf } from './git-state.ts';
import {
  conflictsOf,
  countOf,
  GIT_LIMITS,
  type GitTree,
  namePaths,
  read,
  readLine,
  refused,
  stateOf,
} from './git-tree.ts';

/** Whether a branch is checked out that a remote can take commits of. */
export const canPush = ({ branch, commit, remotes, upstream, ahead }: GitState): boolean =>
  branch !== undefined &&
  commit !== undefined &&
  remotes.length > 0 &&
  (upstream === undefined || ahead === undefined || ahead > 0);

/** Whether the branch follows another one, and git is in the middle of nothing. */
export const canPull = ({ branch, upstream, operation }: GitState): boolean =>
  branch !== undefined && upstream !== undefined && operation === undefined;

/** Pushes the branch to the one that it follows; a branch that follows none, to a branch of its name. Never forces. */
export async function push(tree: GitTree): Promise<string> {
  const { user, repository } = tree;
  const state = await stateOf(tree);
  const { branch, upstream, ahead } = state;
  if (branch === undefined) throw refused('Not pushed: no branch is checked out. Create a branch first');
  if (state.commit === undefined) throw refused('Not pushed: there is no commit yet');
  const call = { root: repository.root, refusal: 'Not pushed', limitMs: GIT_LIMITS.networkMs };
  if (upstream !== undefined && ahead !== undefined) {
    await user.run(['push'], call);
    return `Pushed ${countOf(ahead, 'commit')} of ${branch} to ${upstream}`;
  }
  const remote = await remoteFor(tree, state, branch);
  await user.run(['push', '--set-upstream', remote, `refs/heads/${branch}`], call);
  return `Pushed ${branch} to the new branch ${remote}/${branch}`;
}

/** The remote for a branch that follows none: as git is set, else `origin`, else the only one. */
async function remoteFor(tree: GitTree, { remotes }: GitState, branch: string): Promise<string> {
  for (const key of [`branch.${branch}.pushRemote`, 'remote.pushDefault', `branch.${branch}.remote`]) {
    const name = await readLine(tree, ['config', '--get', key]);
    if (remotes.includes(name)) return name;
  }
  const name = remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] : undefined;
  if (name !== undefined) return name;
  throw refused(
    remotes.length === 0
      ? 'Not pushed: the repository has no remote'
      : `Not pushed: this branch follows none, and there are several remotes (${remotes.join(', ')}). Set remote.pushDefault in the configuration of git`,
  );
}

/** Fetches from the remote of the branch. */
export async function fetch(tree: GitTree): Promise<string> {
  const { user, repository } = tree;
  await user.run(['fetch'], {
    root: repository.root,
    refusal: 'Not fetched',
    limitMs: GIT_LIMITS.networkMs,
  });
  const { branch, upstream, ahead = 0, behind = 0 } = await stateOf(tree);
  if (branch === undefined || upstream === undefined) return 'Fetched';
  const parts = [
    ...(behind > 0 ? [`${countOf(behind, 'commit')} behind`] : []),
    ...(ahead > 0 ? [`${countOf(ahead, 'commit')} ahead of`] : []),
  ];
  return parts.length === 0
    ? `Fetched: ${branch} is up to date with ${upstream}`
    : `Fetched: ${branch} is ${parts.join(' and ')} ${upstream}`;
}

/**
 * Pulls by the user's configuration; without one, by a merge. git refuses when it would overwrite local changes. A merge or a rebase that
 * conflicts is aborted: the session's agent would otherwise work on files with conflict markers.
 */
export async function pull(tree: GitTree): Promise<string> {
  const { user, repository } = tree;
  const state = await stateOf(tree);
  if (state.operation !== undefined)
    throw refused(`Not pulled: a ${state.operation} is not finished. Finish or abort it in a terminal`);
  if (state.branch === undefined || state.upstream === undefined)
    throw refused('Not pulled: no branch is checked out that follows a remote one');
  const isSet = await hasPullSetting(tree, state.branch);
  const call = { root: repository.root, refusal: 'Not pulled', limitMs: GIT_LIMITS.networkMs };
  try {
    await user.run(['pull', '--no-edit', ...(isSet ? [] : ['--no-rebase'])], call);
  } catch (error) {
    const operation = await operationOf(repository);
    if (operation !== 'merge' && operation !== 'rebase') throw error;
    const conflicts = await conflictsOf(tree);
    await user.run([operation, '--abort'], {
      ...call,
      refusal: 'The pull conflicts, and could not be aborted',
    });
    if (conflicts.length === 0) throw error;
    throw refused(
      `Not pulled: ${namePaths(conflicts)} conflict${conflicts.length === 1 ? 's' : ''} with ${state.upstream}. The ${operation} was aborted, and your files are as before. Ask the agent to ${operation === 'merge' ? 'merge' : 'rebase onto'} ${state.upstream}, or do it in a terminal`,
    );
  }
  const count = await readLine(tree, [
    'rev-list',
    '--count',
    state.commit === undefined ? 'HEAD' : `${state.commit}..@{upstream}`,
  ]);
  return count === '0'
    ? `${state.branch} is up to date with ${state.upstream}`
    : `Pulled ${countOf(Number(count), 'commit')} of ${state.upstream} into ${state.branch}`;
}

/** Whether the configuration says how to pull. git refuses without one when both branches have commits. */
async function hasPullSetting(tree: GitTree, branch: string): Promise<boolean> {
  for (const key of ['pull.rebase', 'pull.ff', `branch.${branch}.rebase`])
    if ((await readLine(tree, ['config', '--get', key])) !== '') return true;
  return false;
}

/** Whether there are commits on no branch, remote branch or tag. */
export async function hasLooseCommits(tree: GitTree): Promise<boolean> {
  const { stdout } = await read(tree, [
    'rev-list',
    '--count',
    'HEAD',
    '--not',
    '--branches',
    '--remotes',
    '--tags',
  ]);
  return stdout.toString('utf8').trim() !== '0';
}
