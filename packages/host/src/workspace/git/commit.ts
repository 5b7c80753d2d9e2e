import type { GitState } from './git-state.ts';
import {
  countOf,
  GIT_LIMITS,
  type GitTree,
  isInScope,
  namePaths,
  read,
  readLine,
  readPaths,
  refused,
  stateOf,
} from './git-tree.ts';
import { revisionOf } from './repository.ts';
import { SavedIndex } from './saved-index.ts';
import { stageable, stageEntries } from './stage.ts';

/** The changes that a commit takes. */
export interface CommitChoice {
  /** Absent: an amended commit keeps its own. */
  readonly message?: string;
  /** Whether unstaged changes are committed too. Default: when nothing is staged. */
  readonly isAll?: boolean;
  /** Whether the last commit is replaced. */
  readonly isAmend: boolean;
}

/** Whether the last commit is nowhere else, as far as the last fetch knows. */
export const canAmend = ({ commit, upstream, ahead }: GitState): boolean =>
  commit !== undefined && (upstream === undefined || ahead === undefined || ahead > 0);

/** Whether a commit would have content. */
export const hasCommitContent = (tree: GitTree, { entries, operation }: GitState): boolean =>
  operation === 'merge' || entries.some(({ isStaged }) => isStaged) || stageable(tree, entries).length > 0;

/** Commits by the user's git, with its hooks and its signing. A refused commit leaves the index as it was. Resolves with a text for people. */
export async function commit(tree: GitTree, choice: CommitChoice): Promise<string> {
  const { user, repository } = tree;
  const state = await stateOf(tree);
  if (choice.isAmend && !canAmend(state))
    throw refused(
      state.commit === undefined
        ? 'Not committed: there is no commit to amend'
        : `Not committed: the last commit is on ${state.upstream} already. Make a new commit`,
    );
  const staged = state.entries.filter(({ isStaged }) => isStaged);
  const isAll = choice.isAll ?? (staged.length === 0 && !choice.isAmend && state.operation !== 'merge');
  const added = isAll ? stageable(tree, state.entries) : [];
  if (staged.length + added.length === 0 && !choice.isAmend && state.operation !== 'merge')
    throw refused('Not committed: nothing is staged. Stage files, or commit all changes');
  await checkOthers(tree, state);
  const saved = await SavedIndex.of(tree);
  if (added.length > 0) {
    await stageEntries(tree, added, 'Not committed');
    await saved.changed();
  }
  const { message } = choice;
  try {
    await user.run(
      [
        'commit',
        '--quiet',
        ...(choice.isAmend ? ['--amend'] : []),
        ...(message === undefined ? ['--no-edit'] : ['--file=-']),
      ],
      {
        root: repository.root,
        refusal: 'Not committed',
        limitMs: GIT_LIMITS.hooksMs,
        ...(message === undefined ? {} : { input: message }),
      },
    );
  } catch (error) {
    await saved.restore();
    throw error;
  }
  return describe(tree, choice.isAmend);
}

/** Refuses to commit what is staged outside of the session's folders. A merge commits everything. */
async function checkOthers(tree: GitTree, { operation }: GitState): Promise<void> {
  if (operation !== undefined || tree.scopes.includes('')) return;
  const paths = await readPaths(tree, [
    'diff',
    '--cached',
    '--name-only',
    '--no-renames',
    '--no-ext-diff',
    '-z',
  ]);
  const others = paths.filter((path) => !isInScope(tree, path));
  if (others.length > 0)
    throw refused(
      `Not committed: ${namePaths(others)}, outside of this session's folder, ${others.length === 1 ? 'is' : 'are'} staged and would be in the commit. Commit or unstage ${others.length === 1 ? 'it' : 'them'} first`,
    );
}

async function describe(tree: GitTree, isAmend: boolean): Promise<string> {
  const { reader, repository } = tree;
  const id = await readLine(tree, ['rev-parse', '--short', 'HEAD']);
  const branch = await readLine(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const parent = await revisionOf(reader, repository, 'HEAD^1');
  const range = parent === undefined ? ['--root', 'HEAD'] : [parent, 'HEAD'];
  const { stdout } = await read(tree, ['diff-tree', '-r', '--no-commit-id', '--name-only', '-z', ...range]);
  const count = stdout.toString('latin1').split('\0').length - 1;
  const place = branch === '' ? 'no branch' : branch;
  return `${isAmend ? 'Amended the last commit: it is now' : 'Committed'} ${id} on ${place}: ${countOf(count, 'file')}`;
}
