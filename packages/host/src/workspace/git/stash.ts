import { conflictsOf, countOf, GIT_LIMITS, type GitTree, namePaths, refused, stateOf } from './git-tree.ts';

/** Stashes the changes of the session's folders, new files too. Resolves with a text for people. */
export async function stash(tree: GitTree, message: string | undefined): Promise<string> {
  const { user, repository, scopes } = tree;
  const { entries, commit, operation } = await stateOf(tree);
  if (commit === undefined) throw refused('Not stashed: there is no commit yet');
  if (operation !== undefined) throw refused(`Not stashed: a ${operation} is not finished`);
  if (entries.length === 0) throw refused('Not stashed: nothing has changed');
  // git would take the files of the host away.
  const isWhole = !tree.holdsPrivate(repository.root);
  // Not by an option: git would take its own patterns by the letter too.
  const paths = scopes.includes('') ? [] : ['--', ...scopes.map((scope) => `:(top,literal)${scope}`)];
  await user.run(
    [
      'stash',
      'push',
      '--quiet',
      ...(isWhole ? ['--include-untracked'] : []),
      ...(message === undefined ? [] : [`--message=${message}`]),
      ...paths,
    ],
    { root: repository.root, refusal: 'Not stashed', limitMs: GIT_LIMITS.localMs },
  );
  const left = (await stateOf(tree)).entries.length;
  return `Stashed ${countOf(entries.length - left, 'file')}`;
}

/**
 * Applies the last entry of the stash, and removes it. git refuses when it would overwrite local changes. After a conflict the files have
 * markers and the stash keeps its entry, so nothing is lost.
 */
export async function stashPop(tree: GitTree): Promise<string> {
  const { user, repository } = tree;
  const before = await stateOf(tree);
  if (before.stashCount === 0) throw refused('Not applied: the stash is empty');
  try {
    await user.run(['stash', 'pop', '--quiet'], {
      root: repository.root,
      refusal: 'Not applied',
      limitMs: GIT_LIMITS.localMs,
    });
  } catch (error) {
    const conflicts = await conflictsOf(tree);
    if (conflicts.length === 0) throw error;
    throw refused(
      `The stash conflicts in ${namePaths(conflicts)}: the files have conflict markers, and the stash keeps its entry. Resolve the conflicts, stage the files, and drop the entry by: git stash drop`,
    );
  }
  return `Applied the last stash; ${countOf(before.stashCount - 1, 'other')} left`;
}
