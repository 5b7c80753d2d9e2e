import {
  type CreateResourceWatchParams,
  conflict,
  invalidParam,
  invalidParams,
  limitReached,
  notFound,
  type ResourceWatchState,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Command } from '../../handler-port/commands.ts';
import type { Asker } from '../../workspace/access/grants.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import { toWireError } from '../../workspace/resources.ts';
import { WatchFailure } from '../../workspace/watching/tree-source.ts';
import { checkWatchPaths, type WatchPaths } from '../../workspace/watching/watch-filter.ts';
import type { Watches, WatchesParts } from './watches.ts';

/**
 * `createResourceWatch` [WATCH-1]: `-32602` for an invalid URI or pattern, `-32009` where the caller may not read, `-32008` for what does not exist,
 * and `-32011` at a limit of the host or of the system.
 */
export function createWatch(
  { policy }: Pick<WatchesParts, 'policy'>,
  watches: Watches,
): Command<'createResourceWatch'> {
  return async (params, asker, signal) => {
    const { uri, includes, excludes } = params;
    const path = pathOfFileUri(uri);
    const isRecursive = params.recursive ?? false;
    checkPatterns('includes', { root: path, isRecursive, includes: includes?.items });
    checkPatterns('excludes', { root: path, isRecursive, excludes: excludes?.items });
    const root = await checkRoot(policy, asker, uri, path);
    try {
      const channel = await watches.create({ path, root, asker, state: stateOf(params), signal });
      return { channel };
    } catch (error) {
      throw error instanceof WatchFailure ? refusalOf(error, uri, root) : error;
    }
  };
}

function stateOf(params: CreateResourceWatchParams): ResourceWatchState {
  const { uri, recursive = false, includes, excludes } = params;
  return {
    root: uri,
    recursive,
    ...defined({ includes, excludes }),
    ...(params['x-gitignore'] === true ? { 'x-gitignore': true } : {}),
  };
}

function checkPatterns(name: 'includes' | 'excludes', paths: WatchPaths): void {
  try {
    checkWatchPaths(paths);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidParam(`${name}.items`, error.message);
  }
}

/** The real path of what the client wants to watch, if the client may read it [RES-2]. */
async function checkRoot(
  policy: WatchesParts['policy'],
  asker: Asker,
  uri: string,
  path: string,
): Promise<string> {
  try {
    const real = await findRealPath(path);
    await policy.check(uri, real.path, 'read', asker);
    if (!real.exists) throw notFound('file or folder', uri);
    return real.path;
  } catch (error) {
    throw toWireError(error, uri);
  }
}

/** A failure for the client: with its URI in place of a path of this machine. */
function refusalOf(failure: WatchFailure, uri: string, root: string): Error {
  const message = failure.message.replaceAll(root, JSON.stringify(uri));
  if (failure.code === 'missing') return notFound('file or folder', uri);
  if (failure.code === 'failed') return invalidParams(message);
  return failure.max === undefined ? conflict(message) : limitReached(message, 'watchedFiles', failure.max);
}
