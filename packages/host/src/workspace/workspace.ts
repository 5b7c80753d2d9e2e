import { stat } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invalidParams, notFound, type ResourceReadResult } from '@agenthost/protocol';

/** Reads a `file:` URI by the path policy [RES-1] [RES-2]. */
export type ReadFile = (uri: string, encoding: 'utf-8' | 'base64' | undefined) => Promise<ResourceReadResult>;

/** The folders that a host works in. */
export interface Workspace {
  /** `file:` URI of the folder for sessions that name none. */
  readonly defaultDirectory: string;
  /** Checks a working directory, or gives the default one [SESS-1]. */
  resolveDirectory(uri: string | undefined, isAdmin: boolean): Promise<{ uri: string; path: string }>;
  /** Reads files within the working directories of existing sessions [RES-2]. */
  readerFor(workingDirectories: () => Promise<string[]>): ReadFile;
}

/** A workspace with these roots; absolute paths. */
export function createWorkspace(options: { roots: readonly string[]; defaultDirectory: string }): Workspace {
  const defaultDirectory = pathToFileURL(options.defaultDirectory).href;
  return {
    defaultDirectory,
    resolveDirectory: async (uri = defaultDirectory) => {
      if (!uri.startsWith('file:')) throw invalidParams('params.workingDirectory: expected a file: URI');
      const path = fileURLToPath(uri);
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory() !== true) throw notFound('Working directory', uri);
      return { uri, path };
    },
    readerFor: () => (uri) => Promise.reject(notFound('File', uri)),
  };
}
