import { join } from 'node:path';
import { countOf, GIT_LIMITS, type GitTree, refused, stateOf } from './git-tree.ts';
import type { StatusEntry } from './status.ts';

const listOf = (entries: readonly StatusEntry[]): Buffer =>
  Buffer.concat(entries.flatMap(({ bytes }) => [bytes, Buffer.of(0)]));

/**
 * The entries that staging everything takes. A conflict stays one until its file is staged by name. Submodules and repositories inside of the
 * tree are no files of a changeset.
 */
export const stageable = (tree: GitTree, entries: readonly StatusEntry[]): StatusEntry[] =>
  entries.filter(
    ({ isUnstaged, isConflict, isSubmodule, path }) =>
      isUnstaged &&
      !isConflict &&
      !isSubmodule &&
      !path.endsWith('/') &&
      !tree.isPrivate(join(tree.repository.root, path)),
  );

/** Stages files: all of the session's folders, or these paths. Resolves with a text for people. */
export async function stage(tree: GitTree, paths?: readonly string[]): Promise<string> {
  const { entries } = await stateOf(tree);
  const wanted =
    paths === undefined
      ? stageable(tree, entries)
      : entries.filter(({ path, isUnstaged }) => isUnstaged && paths.includes(path));
  if (wanted.some(({ path }) => tree.isPrivate(join(tree.repository.root, path))))
    throw refused('Not staged: this file belongs to the host itself');
  if (wanted.length > 0) await stageEntries(tree, wanted, 'Not staged');
  return `${countOf(wanted.length, 'file')} staged`;
}

export async function stageEntries(
  { user, repository: { root } }: GitTree,
  entries: readonly StatusEntry[],
  refusal: string,
): Promise<void> {
  await user.run(['--literal-pathspecs', 'add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    root,
    refusal,
    input: listOf(entries),
    limitMs: GIT_LIMITS.localMs,
  });
}

/** Takes files out of the index: all of the session's folders, or these paths. Their content on disk stays. */
export async function unstage(tree: GitTree, paths?: readonly string[]): Promise<string> {
  const { user, repository } = tree;
  const { entries, commit } = await stateOf(tree);
  const wanted = entries.filter(({ path, isStaged }) => isStaged && (paths?.includes(path) ?? true));
  const command =
    commit === undefined ? ['rm', '--cached', '-r', '--force', '--quiet'] : ['reset', '--quiet'];
  if (wanted.length > 0)
    await user.run(['--literal-pathspecs', ...command, '--pathspec-from-file=-', '--pathspec-file-nul'], {
      root: repository.root,
      refusal: 'Not unstaged',
      input: listOf(wanted),
      limitMs: GIT_LIMITS.localMs,
    });
  return `${countOf(wanted.length, 'file')} unstaged`;
}
