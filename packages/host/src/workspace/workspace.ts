import type { ContentEncoding, ResourceReadResult } from '@agenthost/protocol';
import { fileUriOf } from './file-uri.ts';
import { PathPolicy } from './path-policy.ts';
import { readFileResource } from './resources.ts';
import { checkWorkingDirectory, type WorkingDirectory } from './working-directory.ts';

/** Reads a `file:` URI by the path policy [RES-1] [RES-2]. */
export type ReadFile = (uri: string, encoding: ContentEncoding | undefined) => Promise<ResourceReadResult>;

/** The folders that a host works in. */
export interface Workspace {
  /** `file:` URI of the folder for sessions that name none. */
  readonly defaultDirectory: string;
  /** Checks a working directory [SESS-1]. Without a URI: the default one, which has to exist, and may lie outside the roots. */
  resolveDirectory(uri: string | undefined, isAdmin: boolean): Promise<WorkingDirectory>;
  /** Reads files within the working directories of existing sessions, whose absolute paths are asked for each time [RES-2]. */
  readerFor(workingDirectories: () => Promise<readonly string[]>): ReadFile;
}

/** A workspace with these roots; absolute paths. */
export function createWorkspace(options: {
  readonly roots: readonly string[];
  readonly defaultDirectory: string;
}): Workspace {
  const defaultDirectory = fileUriOf(options.defaultDirectory);
  return {
    defaultDirectory,
    resolveDirectory: (uri, isAdmin) =>
      checkWorkingDirectory(uri ?? defaultDirectory, options.roots, isAdmin || uri === undefined),
    readerFor: (workingDirectories) => {
      const policy = new PathPolicy({ workingDirectories });
      return (uri, encoding) => readFileResource(uri, encoding, { policy });
    },
  };
}
