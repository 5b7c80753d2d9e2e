import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileEdit, WireError } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import { pathOfFileUri } from '../workspace/file-uri.ts';
import { isMissing } from '../workspace/real-path.ts';

/** Maximum number of files in a call that can be decided without a user. */
const MAX_FILES = 100;

// At once, not later: a question is decided in the tick that it is asked in, so that nothing can come between.

/**
 * Real paths of all files that edits would change, each once. `undefined` if there are none, or one is
 * unknown.
 *
 * Synchronous, because a question is decided in the tick in which it is asked.
 */
export function filesOf(edits: readonly FileEdit[]): readonly string[] | undefined {
  const uris = edits
    .flatMap(({ before, after }) => [before?.uri, after?.uri])
    .filter((uri) => uri !== undefined);
  const distinct = new Set(uris);
  if (distinct.size === 0 || distinct.size > MAX_FILES) return undefined;
  const paths = [...distinct].map(realPathOf);
  return paths.every((path) => path !== undefined) ? [...new Set(paths)].toSorted() : undefined;
}

/**
 * The target of a `file:` URI after following symbolic links. `undefined` for other URIs, dangling links and
 * inaccessible files.
 */
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
  // Writing to a dangling link creates its target.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined;
  const parent = follow(dirname(path));
  return parent === undefined ? undefined : join(parent, basename(path));
}
