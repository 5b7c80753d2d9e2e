import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { type FolderRefusal, folderNotFound, permissionDenied } from '@agenthost/protocol';
import { defined, errorCode } from '@agenthost/protocol/values';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { AccessPolicy } from './access/access-policy.ts';
import type { Grants } from './access/grants.ts';
import { contentTypeOf } from './content-types.ts';
import { fileUriOf, pathOfFileUri } from './file-uri.ts';
import { Files } from './files/files.ts';
import { Folders } from './folders.ts';
import { isWithinAny, PathPolicy } from './path-policy.ts';
import { PrivatePaths } from './private-paths.ts';
import { findRealPath } from './real-path.ts';
import { readFileBytes } from './resources.ts';

/** A folder that agents may work in. */
interface WorkingDirectory {
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
      `${JSON.stringify(uri)} belongs to the host itself: choose another folder`,
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

/** Reads a whole `file:` URI by the path policy, for code of the host. Rejects as `readFileBytes` does. */
export type ReadFileBytes = (
  uri: string,
  maxBytes: number,
) => Promise<{ readonly data: Buffer; readonly contentType: string }>;

/** Access to the folders that sessions work in. */
export interface Workspace {
  /** `file:` URI of the working directory of sessions that name none. */
  readonly defaultDirectory: string;
  /** Checks a working directory [SESS-1]. Without a URI: the default directory, which must exist, and may lie outside the roots. */
  resolveDirectory(uri: string | undefined, isAdmin: boolean): Promise<WorkingDirectory>;
  /** Files that are private to the host. */
  readonly privatePaths: PrivatePaths;
  /**
   * A reader of whole files in the working directories of existing sessions [RES-2], for code of the host. It calls `workingDirectories` for each file;
   * paths are absolute.
   */
  bytesReaderFor(workingDirectories: () => Promise<readonly string[]>): ReadFileBytes;
  /** Files and folders for clients, within the roots, these working directories, and what `grants` allow [RES-2]. */
  filesFor(
    workingDirectories: () => Promise<readonly string[]>,
    grants: Grants,
  ): { readonly files: Files; readonly folders: Folders; readonly policy: AccessPolicy };
}

/** Creates a workspace with these roots, as absolute paths. */
export function createWorkspace(options: {
  readonly roots: readonly string[];
  /** Absolute paths of folders that clients may read in addition. Default: none. */
  readonly readable?: readonly string[];
  /** Absolute paths of folders that clients may read and write in addition. Default: none. */
  readonly writable?: readonly string[];
  readonly defaultDirectory: string;
  /** Absolute paths of the host's private files. */
  readonly privatePaths: readonly string[];
  /** Absolute path of a folder that is not private, even in a private one. Default: none. */
  readonly publicPath?: string;
  readonly log: Log;
  readonly clock: Clock;
}): Workspace {
  const { log, clock } = options;
  const privatePaths = new PrivatePaths(options.privatePaths, {
    log,
    now: () => steadyNow(clock),
    ...defined({ publicPath: options.publicPath }),
  });
  const defaultDirectory = fileUriOf(options.defaultDirectory);
  return {
    defaultDirectory,
    resolveDirectory: (uri, isAdmin) =>
      checkWorkingDirectory(uri ?? defaultDirectory, options.roots, {
        isAdmin: isAdmin || uri === undefined,
        privatePaths,
      }),
    privatePaths,
    filesFor: (workingDirectories, grants) => {
      const { roots, readable = [], writable = [] } = options;
      const policy = new AccessPolicy({
        roots,
        readable,
        writable,
        workingDirectories,
        privatePaths,
        grants,
      });
      return { files: new Files(policy), folders: new Folders({ policy, defaultDirectory }), policy };
    },
    bytesReaderFor: (workingDirectories) => {
      const policy = new PathPolicy({ workingDirectories, privatePaths });
      return async (uri, maxBytes) => {
        const { bytes, path } = await readFileBytes(uri, { policy, maxBytes });
        return { data: bytes, contentType: contentTypeOf(path, isUtf8(bytes) && !bytes.includes(0)) };
      };
    },
  };
}
