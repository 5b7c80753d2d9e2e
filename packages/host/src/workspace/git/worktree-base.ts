import { type Git, GitError } from './git.ts';
import type { Repository } from './repository.ts';

/** Time limit of the fetch of a base. */
const FETCH_LIMIT_MS = 20_000;
/** Limit of the length of a base, in UTF-16 code units. */
const MAX_NAME_LENGTH = 250;

/** Why no worktree can be made. The message is for people. */
export class WorktreeRefusal extends Error {
  override readonly name = 'WorktreeRefusal';
}

/** The commit that a worktree starts from. */
export interface Base {
  /** `branch`: a local branch; `remote`: a branch of a remote; `commit`: anything else. */
  readonly kind: 'branch' | 'remote' | 'commit';
  /** The branch, such as `main` or `origin/main`; the id of a commit. */
  readonly name: string;
  /** Id of the commit that it names now. */
  readonly commit: string;
}

/** A base after its remote was asked. */
export interface FreshBase extends Base {
  /** The branch of the remote that the base follows, such as `origin/main`. Absent: it follows none. */
  readonly upstream?: string;
  /** When the commit was made. ISO 8601. */
  readonly committedAt: string;
  /** What people should know about its age: why the remote was not asked, or that both have commits of their own. */
  readonly note?: string;
}

/** Calls git with the configuration of the user, in the working tree of a repository. */
export const userGit = async (
  git: Git,
  { root }: Pick<Repository, 'root'>,
  args: readonly string[],
  limitMs?: number,
): Promise<string> =>
  git.text(args, { cwd: root, hasUserConfig: true, ...(limitMs === undefined ? {} : { limitMs }) });

/** As `userGit`; `undefined` if git reports an error. */
export async function askGit(
  git: Git,
  repository: Pick<Repository, 'root'>,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    return await userGit(git, repository, args);
  } catch (error) {
    if (error instanceof GitError && error.code === 'failed') return undefined;
    throw error;
  }
}

/** Finds a base by its name; '': the branch that is checked out. Rejects with `WorktreeRefusal` if there is none. */
export async function findBase(git: Git, repository: Repository, name: string): Promise<Base> {
  if (name.length > MAX_NAME_LENGTH || name.startsWith('-') || /[\u0000-\u001f\u007f]/.test(name))
    throw new WorktreeRefusal(`${JSON.stringify(name.slice(0, 100))} is no branch or commit`);
  const current = name === '' ? await currentBranch(git, repository) : undefined;
  const wanted = name === '' ? (current ?? 'HEAD') : name;
  const commitOf = (revision: string): Promise<string | undefined> =>
    askGit(git, repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  for (const [kind, prefix] of [
    ['branch', 'refs/heads/'],
    ['remote', 'refs/remotes/'],
  ] as const) {
    const commit = await commitOf(`${prefix}${wanted}`);
    if (commit !== undefined) return { kind, name: wanted, commit };
  }
  const commit = await commitOf(wanted);
  if (commit !== undefined) return { kind: 'commit', name: commit, commit };
  throw new WorktreeRefusal(
    name === ''
      ? 'The repository has no commit yet: a worktree needs one to start from'
      : `The repository has no branch or commit ${JSON.stringify(name)}`,
  );
}

/** The branch that is checked out. `undefined`: none. */
export const currentBranch = (git: Git, repository: Pick<Repository, 'root'>): Promise<string | undefined> =>
  askGit(git, repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']);

/**
 * Fetches what a base follows, with a time limit, and chooses the newest commit: that of the remote if the branch has no commits of its own.
 * Never rejects for a remote that does not answer.
 */
export async function freshen(git: Git, repository: Repository, base: Base): Promise<FreshBase> {
  const source = await sourceOf(git, repository, base);
  const failure = source === undefined ? undefined : await fetchFailure(git, repository, source);
  const upstream = source?.ref.replace(/^refs\/remotes\//, '');
  const chosen =
    source === undefined ? { commit: base.commit } : await newest(git, repository, base, source.ref);
  const committedAt = await userGit(git, repository, ['show', '--no-patch', '--format=%cI', chosen.commit]);
  const notes = [
    ...(failure === undefined
      ? []
      : [`${upstream} was not fetched (${failure}); the last commit known here is of ${committedAt}`]),
    ...(chosen.note === undefined ? [] : [chosen.note]),
  ];
  return {
    ...base,
    commit: chosen.commit,
    committedAt,
    ...(upstream === undefined ? {} : { upstream }),
    ...(notes.length === 0 ? {} : { note: notes.join('. ') }),
  };
}

/** A branch of a remote, with the ref that it is fetched into. */
interface Source {
  readonly remote: string;
  readonly remoteRef: string;
  readonly ref: string;
}

async function sourceOf(git: Git, repository: Repository, { kind, name }: Base): Promise<Source | undefined> {
  if (kind === 'branch') {
    const format = '%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream)';
    const text = await userGit(git, repository, ['for-each-ref', `--format=${format}`, `refs/heads/${name}`]);
    const [remote = '', remoteRef = '', ref = ''] = text.split('\n', 1)[0]?.split('\0') ?? [];
    return remote === '' || remote === '.' || remoteRef === '' || ref === ''
      ? undefined
      : { remote, remoteRef, ref };
  }
  if (kind !== 'remote') return undefined;
  const remotes = (await userGit(git, repository, ['remote'])).split('\n').filter((remote) => remote !== '');
  const remote = remotes.toSorted((a, b) => b.length - a.length).find((each) => name.startsWith(`${each}/`));
  if (remote === undefined) return undefined;
  return { remote, remoteRef: `refs/heads/${name.slice(remote.length + 1)}`, ref: `refs/remotes/${name}` };
}

/** Why a fetch failed, in a few words. `undefined`: it did not. */
async function fetchFailure(
  git: Git,
  repository: Repository,
  { remote, remoteRef, ref }: Source,
): Promise<string | undefined> {
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  try {
    await userGit(
      git,
      repository,
      ['fetch', ...options, '--', remote, `+${remoteRef}:${ref}`],
      FETCH_LIMIT_MS,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return error.code === 'late'
      ? `no answer within ${FETCH_LIMIT_MS / 1_000} s`
      : firstLineOf(error.message);
  }
}

const firstLineOf = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? '';

async function newest(
  git: Git,
  repository: Repository,
  { kind, name, commit }: Base,
  ref: string,
): Promise<{ readonly commit: string; readonly note?: string }> {
  const fetched = await askGit(git, repository, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  if (fetched === undefined || fetched === commit) return { commit };
  if (kind === 'remote') return { commit: fetched };
  const { ahead, behind } = await countBetween(git, repository, commit, fetched);
  if (behind === 0) return { commit };
  if (ahead === 0) return { commit: fetched };
  const upstream = ref.replace(/^refs\/remotes\//, '');
  return {
    commit,
    note: `${name} has ${commits(ahead)} that ${upstream} lacks, and lacks ${commits(behind)} of it: the worktree starts from ${name}`,
  };
}

const commits = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`);

/** `ahead`: commits of `own` that `other` lacks; `behind`: the opposite. */
export async function countBetween(
  git: Git,
  repository: Pick<Repository, 'root'>,
  own: string,
  other: string,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  const text = await userGit(git, repository, [
    'rev-list',
    '--left-right',
    '--count',
    `${own}...${other}`,
    '--',
  ]);
  const [ahead = 0, behind = 0] = text.split('\t').map(Number);
  return { ahead, behind };
}

/** Local and remote branches, the last changed first, at most `max`. */
export async function branchesOf(git: Git, repository: Repository, max: number): Promise<string[]> {
  const text = await userGit(git, repository, [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${max}`,
    '--format=%(refname)%00%(symref)',
    'refs/heads',
    'refs/remotes',
  ]);
  return text.split('\n').flatMap((line) => {
    const [ref = '', symref = ''] = line.split('\0');
    return ref === '' || symref !== '' ? [] : [ref.replace(/^refs\/(heads|remotes)\//, '')];
  });
}
