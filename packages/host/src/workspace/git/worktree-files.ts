import { lstat, mkdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { WireError } from '@agenthost/protocol';
import { errorCode, hasCode } from '@agenthost/protocol/values';
import { copyEntry } from '../files/copy-entry.ts';
import { type OpenFolder, PathMoved, withFolder, within, withSubfolder } from '../files/open-folder.ts';
import type { WorktreeProject } from './worktree-project.ts';

/** A path that was not brought into a worktree, and why. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/**
 * Copies and links what a project lists from one working tree into another one. No link is followed on the way, and nothing is replaced.
 * Paths that the source lacks are skipped. Resolves with what was left out for another reason.
 * @param from real path of the working tree with the files
 * @param to real path of the worktree
 */
export async function bringFiles(
  from: string,
  to: string,
  { copy, link }: WorktreeProject,
): Promise<LeftOut[]> {
  const leftOut: LeftOut[] = [];
  for (const [paths, isLink] of [
    [copy, false],
    [link, true],
  ] as const) {
    for (const path of paths) {
      const reason = await bring({ from, to, path, isLink });
      if (reason !== undefined) leftOut.push({ path, reason });
    }
  }
  return leftOut;
}

interface Bringing {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly isLink: boolean;
}

async function bring({ from, to, path, isLink }: Bringing): Promise<string | undefined> {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  const folders = segments.slice(0, -1);
  try {
    await withFolder(from, (root) =>
      below(root, folders, false, async (source) => {
        const facts = await lstat(within(source, name));
        if (!facts.isFile() && !facts.isDirectory()) throw new Unusable('it is neither a file nor a folder');
        await withFolder(to, (target) =>
          below(target, folders, true, async (folder) => {
            if (isLink) await symlink(join(from, path), within(folder, name));
            else await copyEntry({ folder: source, name, uri: path }, { folder, name, uri: path }, true);
          }),
        );
      }),
    );
    return undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    return reasonOf(error);
  }
}

/** A path that is not taken. The message is for people. */
class Unusable extends Error {
  override readonly name = 'Unusable';
}

function reasonOf(error: unknown): string {
  if (error instanceof Unusable || error instanceof WireError) return error.message;
  if (error instanceof PathMoved || hasCode(error, 'ENOTDIR', 'ELOOP'))
    return 'a folder on the way is a link or a file';
  if (hasCode(error, 'EEXIST')) return 'the worktree has it already';
  const code = errorCode(error);
  if (code === undefined) throw error;
  return `the operating system reports ${code}`;
}

/** Opens folders one in another, without following links. `isMade`: missing ones are created. */
async function below(
  folder: OpenFolder,
  [name, ...rest]: readonly string[],
  isMade: boolean,
  use: (folder: OpenFolder) => Promise<void>,
): Promise<void> {
  if (name === undefined) return use(folder);
  if (isMade) {
    try {
      await mkdir(within(folder, name));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  await withSubfolder(folder, name, (next) => below(next, rest, isMade, use));
}

/** Removes links that `bringFiles` has made. Anything else under their names stays. */
export async function unlinkLinks(root: string, links: readonly string[]): Promise<void> {
  for (const path of links) {
    const segments = path.split('/');
    const name = segments.at(-1) ?? '';
    try {
      await withFolder(root, (folder) =>
        below(folder, segments.slice(0, -1), false, async (at) => {
          if ((await lstat(within(at, name))).isSymbolicLink()) await unlink(within(at, name));
        }),
      );
    } catch (error) {
      if (!(error instanceof PathMoved) && errorCode(error) === undefined) throw error;
    }
  }
}
