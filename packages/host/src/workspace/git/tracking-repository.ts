import { relative, sep } from 'node:path';
import { type Git, GitError } from './git.ts';
import { environmentOf, findRepository, type Repository } from './repository.ts';

/**
 * The repository that can hold the files of a real folder. `undefined` outside of repositories, and for a folder that the repository ignores
 * and has no files of, such as a folder of notes below a home whose repository ignores everything.
 */
export async function trackingRepository(git: Git, folder: string): Promise<Repository | undefined> {
  const repository = await findRepository(folder);
  return repository === undefined || (await isLeftOut(git, repository, folder)) ? undefined : repository;
}

/** Whether a repository ignores a folder of its working tree and has no files of it. */
export async function isLeftOut(git: Git, repository: Repository, folder: string): Promise<boolean> {
  const { root } = repository;
  if (folder === root) return false;
  const path = relative(root, folder).split(sep).join('/');
  const call = { cwd: root, env: environmentOf(repository) };
  try {
    const { exitCode } = await git.run(['check-ignore', '--quiet', '--', `./${path}`], {
      ...call,
      okCodes: [0, 1],
      hasPatterns: true,
      hasUserConfig: true,
    });
    return exitCode === 0 && (await git.run(['ls-files', '-z', '--', path], call)).stdout.length === 0;
  } catch (error) {
    // A repository that git cannot read is one all the same.
    if (error instanceof GitError) return false;
    throw error;
  }
}
