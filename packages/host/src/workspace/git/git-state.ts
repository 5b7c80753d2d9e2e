import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionGit } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { tolerant } from '../tolerant.ts';
import type { Git } from './git.ts';
import { environmentOf, type Repository } from './repository.ts';
import { configuredNames, type RepositoryStatus, statusOf } from './status.ts';

/** The operation that each file or folder in the git folder stands for. */
const OPERATIONS = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** The state of a working tree, as far as operations need it. */
export interface GitState extends RepositoryStatus {
  readonly stashCount: number;
  /** The operation that git has begun and not ended. Absent: none. */
  readonly operation?: (typeof OPERATIONS)[number][1];
  /** The default branch. Absent: unknown. */
  readonly baseBranch?: string;
  readonly remotes: readonly string[];
}

/** Reads the state of a working tree; its files only in these folders, relative to the root. Writes nothing. Rejects with `GitError`. */
export async function gitStateOf(
  git: Git,
  repository: Repository,
  scopes: readonly string[],
): Promise<GitState> {
  const names = await configuredNames(git, repository);
  const [status, operation, baseBranch] = await Promise.all([
    statusOf(git, repository, scopes, names),
    operationOf(repository),
    baseBranchOf(git, repository),
  ]);
  const stashCount = status.stashCount ?? (await loggedStashes(repository));
  return { ...status, stashCount, remotes: [...names.remotes], ...defined({ operation, baseBranch }) };
}

/** The state as a session shows it. */
export function sessionGitOf(state: GitState): SessionGit {
  return defined({
    branchName: state.branch,
    baseBranchName: state.baseBranch,
    upstreamBranchName: state.upstream,
    incomingChanges: state.behind,
    outgoingChanges: state.ahead,
    uncommittedChanges: state.entries.length,
    stagedChanges: state.entries.filter(({ isStaged }) => isStaged).length,
    stashes: state.stashCount,
    operation: state.operation,
  });
}

/** The operation that git has begun and not ended. `undefined`: none. */
export async function operationOf({ gitDir }: Repository): Promise<GitState['operation']> {
  for (const [name, operation] of OPERATIONS) {
    const found = await tolerant(() => lstat(join(gitDir, name)));
    if (found !== undefined) return operation;
  }
  return undefined;
}

async function baseBranchOf(git: Git, repository: Repository): Promise<string | undefined> {
  const text = await git.text(
    [
      'for-each-ref',
      '--format=%(refname) %(symref)',
      'refs/remotes/origin/HEAD',
      'refs/heads/main',
      'refs/heads/master',
    ],
    { env: environmentOf(repository) },
  );
  const refs = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', target = ''] = line.split(' ');
      return [name, target];
    }),
  );
  const remote = refs.get('refs/remotes/origin/HEAD')?.replace(/^refs\/remotes\/origin\//, '');
  if (remote !== undefined && remote !== '') return remote;
  return ['main', 'master'].find((name) => refs.has(`refs/heads/${name}`));
}

/** The entries of the stash by its log, where git does not count them. */
async function loggedStashes({ commonDir }: Repository): Promise<number> {
  const log = await tolerant(() => readFile(join(commonDir, 'logs', 'refs', 'stash'), 'latin1'));
  return log === undefined ? 0 : log.split('\n').length - 1;
}
