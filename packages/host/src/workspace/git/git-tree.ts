import { type Git, type GitCall, type GitOutput, splitNul } from './git.ts';
import { GitRefusal } from './git-refusal.ts';
import { type GitState, gitStateOf } from './git-state.ts';
import { environmentOf, type Repository } from './repository.ts';
import type { UserGit } from './user-git.ts';

/** A working tree that operations act on. */
export interface GitTree {
  readonly repository: Repository;
  /** The folders of the session in it, relative to the root, with `/`; [''] for all of it. */
  readonly scopes: readonly string[];
  /** Reads without writing anything, and without the programs of the repository. */
  readonly reader: Git;
  /** The user's own git. */
  readonly user: UserGit;
  /** Whether a real path belongs to the host itself, and whether such a path lies below a folder. */
  isPrivate(path: string): boolean;
  holdsPrivate(folder: string): boolean;
}

/** Time limits of calls of the user's git. Hooks of a commit may run tests. */
export const GIT_LIMITS = { localMs: 120_000, networkMs: 300_000, hooksMs: 600_000 } as const;

/** Reads the state of a tree. Rejects with `GitError`. */
export const stateOf = ({ reader, repository, scopes }: GitTree): Promise<GitState> =>
  gitStateOf(reader, repository, scopes);

/** Reads from the repository with the user's configuration. Rejects with `GitError`. */
export const read = (
  { reader, repository }: GitTree,
  args: readonly string[],
  call: Omit<GitCall, 'env' | 'cwd'> = {},
): Promise<GitOutput> =>
  reader.run(args, { hasUserConfig: true, ...call, env: environmentOf(repository), cwd: repository.root });

/** Reads one line. '' if git fails. */
export async function readLine(tree: GitTree, args: readonly string[]): Promise<string> {
  const { stdout, exitCode } = await read(tree, args, { okCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : '';
}

/** Reads paths that git ends with NUL. */
export const readPaths = async (tree: GitTree, args: readonly string[]): Promise<string[]> =>
  splitNul((await read(tree, args)).stdout).map((path) => path.toString('utf8'));

/** The files that a merge has left in conflict. */
export const conflictsOf = (tree: GitTree): Promise<string[]> =>
  readPaths(tree, ['diff', '--name-only', '--diff-filter=U', '--no-ext-diff', '-z']);

/** Whether a path of the tree lies in one of the session's folders. */
export const isInScope = ({ scopes }: GitTree, path: string): boolean =>
  scopes.some((scope) => scope === '' || path === scope || path.startsWith(`${scope}/`));

/** At most this many paths are named in a text. */
const NAMED = 5;

/** Paths for people: `"a", "b" and 3 more`. */
export function namePaths(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map((path) => JSON.stringify(path));
  return `${named.join(', ')}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''}`;
}

/** A number with its noun, such as `1 file` and `2 files`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A refusal before git was called: nothing was changed. */
export const refused = (message: string): GitRefusal => new GitRefusal('refused', message);
