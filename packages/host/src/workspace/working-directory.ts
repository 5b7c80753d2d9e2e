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
  /** Absolute; links are not resolved. */
  readonly path: string;
}

/** Limit of roots that a refusal lists. */
const MAX_NAMED_ROOTS = 5;

/**
 * Checks a working directory in the order of [SESS-1]: `-32602` when it is not a `file:` URI, `-32008` when it is missing or not a directory,
 * `-32009` when its real path is outside the roots and the caller is not an admin, and `-32009` for all callers inside private folders of the host.
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
    // An inaccessible folder counts as missing.
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}
