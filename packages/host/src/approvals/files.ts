import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileEdit, WireError } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import { pathOfFileUri } from '../workspace/file-uri.ts';
import { isMissing } from '../workspace/real-path.ts';

/** Calls that touch more files are for people to look at. */
const MAX_FILES = 100;

// At once, not later: a question is decided in the tick that it is asked in, so that nothing can come between.

/** Real paths of all files that edits would touch, each once; `undefined` when there are none, or one cannot be told. */
export function filesOf(edits: readonly FileEdit[]): readonly string[] | undefined {
  const uris = edits
    .flatMap(({ before, after }) => [before?.uri, after?.uri])
    .filter((uri) => uri !== undefined);
  const distinct = new Set(uris);
  if (distinct.size === 0 || distinct.size > MAX_FILES) return undefined;
  const paths = [...distinct].map(realPathOf);
  return paths.every((path) => path !== undefined) ? [...new Set(paths)].toSorted() : undefined;
}

/** Where a `file:` URI leads after every symbolic link; `undefined` for others, dangling links and what may not be looked at. */
export function realPathOf(uri: string): string | undefined {
  try {
    return follow(pathOfFileUri(uri));
  } catch (error) {
    if (error instanceof WireError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function follow(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // A link that leads nowhere now would be followed by whoever writes to it.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined;
  const parent = follow(dirname(path));
  return parent === undefined ? undefined : join(parent, basename(path));
}
