import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import {
  type ContentEncoding,
  type FolderRefusal,
  folderNotFound,
  permissionDenied,
  type ResourceReadResult,
} from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { contentTypeOf } from './content-types.ts';
import { fileUriOf, pathOfFileUri } from './file-uri.ts';
import { Folders } from './folders.ts';
import { isWithinAny, PathPolicy } from './path-policy.ts';
import { PrivatePaths } from './private-paths.ts';
import { findRealPath } from './real-path.ts';
import { readFileBytes, readFileResource } from './resources.ts';

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

/** Reads a `file:` URI by the path policy [RES-1] [RES-2]. */
export type ReadFile = (uri: string, encoding: ContentEncoding | undefined) => Promise<ResourceReadResult>;

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
  /** A reader of files in the working directories of existing sessions [RES-2]. It calls `workingDirectories` for each file; paths are absolute. */
  readerFor(workingDirectories: () => Promise<readonly string[]>): ReadFile;
  /** A reader of whole files with the same rights, for code of the host. */
  bytesReaderFor(workingDirectories: () => Promise<readonly string[]>): ReadFileBytes;
  /** Lists and makes folders within the roots and these working directories [RES-2]. */
  foldersFor(workingDirectories: () => Promise<readonly string[]>): Folders;
}

/** Creates a workspace with these roots, as absolute paths. */
export function createWorkspace(options: {
  readonly roots: readonly string[];
  readonly defaultDirectory: string;
  /** Absolute paths of the host's private files. */
  readonly privatePaths: readonly string[];
  readonly log: Log;
  readonly clock: Clock;
}): Workspace {
  const { log, clock } = options;
  const privatePaths = new PrivatePaths(options.privatePaths, { log, now: () => steadyNow(clock) });
  const defaultDirectory = fileUriOf(options.defaultDirectory);
  return {
    defaultDirectory,
    resolveDirectory: (uri, isAdmin) =>
      checkWorkingDirectory(uri ?? defaultDirectory, options.roots, {
        isAdmin: isAdmin || uri === undefined,
        privatePaths,
      }),
    privatePaths,
    readerFor: (workingDirectories) => {
      const policy = new PathPolicy({ workingDirectories, privatePaths });
      return (uri, encoding) => readFileResource(uri, encoding, { policy });
    },
    foldersFor: (workingDirectories) =>
      new Folders({ roots: options.roots, defaultDirectory, workingDirectories, privatePaths }),
    bytesReaderFor: (workingDirectories) => {
      const policy = new PathPolicy({ workingDirectories, privatePaths });
      return async (uri, maxBytes) => {
        const { bytes, path } = await readFileBytes(uri, { policy, maxBytes });
        return { data: bytes, contentType: contentTypeOf(path, isUtf8(bytes) && !bytes.includes(0)) };
      };
    },
  };
}
