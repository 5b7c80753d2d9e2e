import { GIT_LIMITS, type GitTree, readLine, refused, stateOf } from './git-tree.ts';
import { hasLooseCommits } from './remotes.ts';

/** The problem of the name of a branch. `undefined`: git takes it. */
export async function branchNameProblem({ reader }: GitTree, name: string): Promise<string | undefined> {
  const expected = 'expected the name of a branch, without spaces and characters such as ~^:?*[\\';
  if (name.startsWith('-') || name === 'HEAD' || name === '@') return expected;
  const { exitCode } = await reader.run(['check-ref-format', `refs/heads/${name}`], { okCodes: [0, 1] });
  return exitCode === 0 ? undefined : expected;
}

/** Creates a branch at the last commit, and checks it out. Changed files stay as they are. */
export async function createBranch(tree: GitTree, name: string): Promise<string> {
  const { user, repository } = tree;
  await user.run(['checkout', '--quiet', '-b', name], {
    root: repository.root,
    refusal: 'No branch was created',
    limitMs: GIT_LIMITS.hooksMs,
  });
  return `Created the branch ${name}`;
}

/**
 * Checks out a branch; for a name that only a remote has, a new branch that follows it. Refuses when commits would be on no branch afterwards;
 * git refuses when local changes would be overwritten.
 */
export async function switchBranch(tree: GitTree, name: string): Promise<string> {
  const { user, repository } = tree;
  const { branch, commit, operation } = await stateOf(tree);
  if (branch === name) return `${name} is checked out already`;
  if (operation !== undefined)
    throw refused(
      `The branch was not switched: a ${operation} is not finished. Finish or abort it in a terminal`,
    );
  if (branch === undefined && commit !== undefined && (await hasLooseCommits(tree)))
    throw refused(
      'The branch was not switched: the last commits are on no branch, and would be hard to find. Create a branch first',
    );
  await user.run(['switch', '--quiet', '--no-overwrite-ignore', name], {
    root: repository.root,
    refusal: 'The branch was not switched',
    limitMs: GIT_LIMITS.hooksMs,
  });
  const now = await readLine(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return `Switched to ${now === '' ? name : now}`;
}
