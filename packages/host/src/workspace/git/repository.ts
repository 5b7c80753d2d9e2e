import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { tolerant } from '../tolerant.ts';
import type { Git } from './git.ts';

/** Limit of the length of a `.git` or `commondir` file, in UTF-16 code units. */
const MAX_POINTER_LENGTH = 8_192;
/** Limit of the size of a file of ignore rules. */
const MAX_RULES_BYTES = 1024 * 1024;

/** A git repository with a working tree: an ordinary one, a linked worktree or a submodule. Absolute paths. */
export interface Repository {
  /** The root of the working tree. */
  readonly root: string;
  /** The git folder of this working tree. */
  readonly gitDir: string;
  /** The git folder with the objects. It differs from `gitDir` in linked worktrees. */
  readonly commonDir: string;
}

/** The repository whose working tree contains a real folder. `undefined` outside of repositories. Works without git. */
export async function findRepository(folder: string): Promise<Repository | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await repositoryAt(at);
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

async function repositoryAt(root: string): Promise<Repository | undefined> {
  const path = join(root, '.git');
  const found = await tolerant(() => stat(path));
  if (found?.isDirectory() === true)
    return (await isGitFolder(path)) ? { root, gitDir: path, commonDir: path } : undefined;
  if (found?.isFile() !== true || found.size > MAX_POINTER_LENGTH) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec((await tolerant(() => readFile(path, 'utf8'))) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const gitDir = resolve(root, pointer.trim());
  if (!(await isGitFolder(gitDir))) return undefined;
  const shared = await tolerant(() => readFile(join(gitDir, 'commondir'), 'utf8'));
  // A worktree has a `commondir` file, a submodule has none.
  const isSubmodule = shared === undefined || shared.length > MAX_POINTER_LENGTH;
  return { root, gitDir, commonDir: isSubmodule ? gitDir : resolve(gitDir, shared.trim()) };
}

async function isGitFolder(path: string): Promise<boolean> {
  return (await tolerant(() => stat(join(path, 'HEAD'))))?.isFile() === true;
}

/** Variables with which git works on this repository, and searches for none. */
export const environmentOf = ({ gitDir, root }: Repository): Record<string, string> => ({
  GIT_DIR: gitDir,
  GIT_WORK_TREE: root,
});

/** The format of a repository's object ids. */
export async function objectFormatOf(git: Git, repository: Repository): Promise<'sha1' | 'sha256'> {
  const text = await git.text(['rev-parse', '--show-object-format'], { env: environmentOf(repository) });
  return text === 'sha256' ? 'sha256' : 'sha1';
}

/** The id of the tree of a commit. `undefined` if the revision does not exist, for example `HEAD` without a commit. */
export async function treeOf(
  git: Git,
  repository: Repository,
  revision: string,
): Promise<string | undefined> {
  return revisionOf(git, repository, `${revision}^{tree}`);
}

/** The id of an object. `undefined` if the revision does not exist. */
export async function revisionOf(
  git: Git,
  repository: Repository,
  revision: string,
): Promise<string | undefined> {
  const { stdout, exitCode } = await git.run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', revision],
    {
      env: environmentOf(repository),
      okCodes: [0, 1, 128],
    },
  );
  const id = stdout.toString('utf8').trim();
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : undefined;
}

/** The commit where the branch left the default branch. `undefined` if the repository has no default branch, or nothing in common with it. */
export async function mergeBaseOf(git: Git, repository: Repository): Promise<string | undefined> {
  for (const name of ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master']) {
    const branch = await revisionOf(git, repository, `${name}^{commit}`);
    if (branch === undefined) continue;
    const { stdout, exitCode } = await git.run(['merge-base', 'HEAD', branch], {
      env: environmentOf(repository),
      okCodes: [0, 1, 128],
    });
    if (exitCode === 0) return stdout.toString('utf8').trim();
  }
  return undefined;
}

/** The user's own ignore rules outside of `.gitignore` files: those of the repository, and those for all repositories. */
export async function ignoreRules(git: Git, repository: Repository): Promise<string> {
  const own = await rulesIn(join(repository.commonDir, 'info', 'exclude'));
  return `${await globalRules(git, repository)}\n${own}\n`;
}

async function globalRules(git: Git, repository: Repository): Promise<string> {
  const { stdout } = await git.run(['config', '--path', '--get', 'core.excludesFile'], {
    env: environmentOf(repository),
    okCodes: [0, 1],
    hasUserConfig: true,
  });
  const named = stdout.toString('utf8').trim();
  const folder = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  return rulesIn(named === '' ? join(folder, 'git', 'ignore') : resolve(repository.root, named));
}

async function rulesIn(path: string): Promise<string> {
  const found = await tolerant(() => stat(path));
  if (found?.isFile() !== true || found.size > MAX_RULES_BYTES) return '';
  const bytes = await tolerant(() => readFile(path));
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : '';
}
