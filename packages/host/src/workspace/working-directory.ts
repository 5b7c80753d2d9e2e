import { stat } from 'node:fs/promises';
import { type FolderRefusal, folderNotFound, permissionDenied } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import { pathOfFileUri } from './file-uri.ts';
import { isWithinAny } from './path-policy.ts';
import type { PrivatePaths } from './private-paths.ts';
import { findRealPath } from './real-path.ts';

/** A folder that agents may work in. */
export interface WorkingDirectory {
  /** As given. */
  readonly uri: string;
  /** Absolute, with its links as given. */
  readonly path: string;
}

/** Folders that a refusal names. */
const MAX_NAMED_ROOTS = 5;

/**
 * Checks a working directory in the order of [SESS-1]: no `file:` URI `-32602`, missing or no directory `-32008`, outside the
 * roots by its real path `-32009`, unless the caller is an admin; inside what is the host's own `-32009` for everybody.
 */
export async function checkWorkingDirectory(
  uri: string,
  roots: readonly string[],
  {
    isAdmin,
    privatePaths,
  }: { readonly isAdmin: boolean; readonly privatePaths: Pick<PrivatePaths, 'covers'> },
): Promise<WorkingDirectory> {
  const path = pathOfFileUri(uri);
  const real = await findDirectory(path);
  if (real === undefined) throw folderNotFound(uri);
  if (await privatePaths.covers(real))
    throw permissionDenied(
      `${JSON.stringify(uri)} is the host's own, and nobody works there: choose another folder`,
      refusal({ uri, reason: 'private' }),
    );
  if (isAdmin || (await isWithinAny(real, roots))) return { uri, path };
  const shown = roots.slice(0, MAX_NAMED_ROOTS).join(', ');
  const more = roots.length > MAX_NAMED_ROOTS ? `, and ${roots.length - MAX_NAMED_ROOTS} more` : '';
  throw permissionDenied(
    roots.length === 0
      ? `${JSON.stringify(uri)} cannot be worked in: this host offers no folder but to tokens of scope admin`
      : `${JSON.stringify(uri)} is outside the folders that this host offers: choose one within ${shown}${more}`,
    refusal({ uri, reason: 'outside', roots: roots.slice(0, MAX_NAMED_ROOTS) }),
  );
}

const refusal = (folder: Omit<FolderRefusal, 'kind'>): { 'x-refusal': FolderRefusal } => ({
  'x-refusal': { kind: 'folder', ...folder },
});

async function findDirectory(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return undefined;
    const real = await findRealPath(path);
    return real.exists ? real.path : undefined;
  } catch (error) {
    // What cannot be looked at is as good as missing to who wants to work in it.
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}
