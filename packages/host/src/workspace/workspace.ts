import { isUtf8 } from 'node:buffer';
import type { ContentEncoding, ResourceReadResult } from '@agenthost/protocol';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { contentTypeOf } from './content-types.ts';
import { fileUriOf } from './file-uri.ts';
import { PathPolicy } from './path-policy.ts';
import { PrivatePaths } from './private-paths.ts';
import { readFileBytes, readFileResource } from './resources.ts';
import { checkWorkingDirectory, type WorkingDirectory } from './working-directory.ts';

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
  /** The same for code of the host. */
  bytesReaderFor(workingDirectories: () => Promise<readonly string[]>): ReadFileBytes;
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
    bytesReaderFor: (workingDirectories) => {
      const policy = new PathPolicy({ workingDirectories, privatePaths });
      return async (uri, maxBytes) => {
        const { bytes, path } = await readFileBytes(uri, { policy, maxBytes });
        return { data: bytes, contentType: contentTypeOf(path, isUtf8(bytes) && !bytes.includes(0)) };
      };
    },
  };
}
