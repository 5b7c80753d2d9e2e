import { join } from 'node:path';
import type { Log } from '../../lib/log.ts';
import type { Repository } from '../../workspace/git/repository.ts';
import { WatchFailure } from '../../workspace/watching/tree-source.ts';
import type { RunningWatch, TreeWatchers, WatchRequest } from '../../workspace/watching/tree-watchers.ts';

/** A tree that could not be watched is tried again after this time. */
const RETRY_MS = 60_000;

/** The files of a git folder that tell of commits, staged changes, checked out branches and unfinished operations. */
const GIT_FILES = [
  'HEAD',
  'index',
  'packed-refs',
  '*_HEAD',
  'rebase-merge',
  'rebase-apply',
  'config',
] as const;

/** A watch that is wanted. */
export interface WantedWatch {
  /** Identifies the request: equal requests have equal keys. */
  readonly key: string;
  readonly request: WatchRequest;
  /** URIs of the channels that are updated when the watch reports changes. */
  readonly subjects: ReadonlySet<string>;
}

/** The watch of a folder of a working tree, without its ignored files and git folders. */
export const treeWatch = (root: string, subject: string): WantedWatch => ({
  key: `tree ${root}`,
  request: { root, isRecursive: true, usesGitignore: true, excludes: ['**/.git'] },
  subjects: new Set([subject]),
});

/** The watches of a repository's state. */
export const gitWatches = ({ gitDir, commonDir }: Repository, subject: string): WantedWatch[] =>
  [...new Set([gitDir, commonDir])]
    .map(
      (root): WantedWatch => ({
        key: `git ${root}`,
        request: { root, isRecursive: false, includes: GIT_FILES },
        subjects: new Set([subject]),
      }),
    )
    .concat({
      key: `refs ${commonDir}`,
      request: { root: join(commonDir, 'refs'), isRecursive: true },
      subjects: new Set([subject]),
    });

interface Parts {
  readonly watchers: TreeWatchers;
  readonly log: Log;
  /** Steady milliseconds. */
  now(): number;
  /** Called when something has changed that a channel shows. */
  changed(subject: string): void;
}

interface Watch {
  subjects: ReadonlySet<string>;
  /** `undefined` while it starts. */
  running?: RunningWatch;
  /** Set if it could not be started, or has ended by itself. */
  failedAt?: number;
  isClosed: boolean;
}

/** The watches of the working trees and repositories that clients see. */
export class TreeWatches {
  readonly #parts: Parts;
  readonly #watches = new Map<string, Watch>();
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts the watches that are missing, and ends those that are not wanted any more. Resolves when they run, or have failed. */
  async want(wanted: readonly WantedWatch[]): Promise<void> {
    const all = new Map<string, WantedWatch>();
    for (const each of wanted) {
      const same = all.get(each.key);
      all.set(each.key, same ? { ...each, subjects: new Set([...same.subjects, ...each.subjects]) } : each);
    }
    for (const [key, watch] of this.#watches) if (!all.has(key)) this.#end(key, watch);
    await Promise.all([...all.values()].map((each) => this.#keep(each)));
  }

  /** Whether changes of a channel may be missed, because one of its watches has failed. */
  isBlind(subject: string): boolean {
    return [...this.#watches.values()].some(
      ({ subjects, failedAt }) => failedAt !== undefined && subjects.has(subject),
    );
  }

  async #keep({ key, request, subjects }: WantedWatch): Promise<void> {
    const { watchers, log, now, changed } = this.#parts;
    const present = this.#watches.get(key);
    if (present !== undefined) {
      present.subjects = subjects;
      if (present.failedAt === undefined || now() - present.failedAt < RETRY_MS) return;
    }
    if (this.#isOver) return;
    const watch: Watch = { subjects, isClosed: false };
    this.#watches.set(key, watch);
    const tell = (): void => {
      if (!watch.isClosed) for (const subject of watch.subjects) changed(subject);
    };
    const fail = (failure: WatchFailure): void => {
      watch.failedAt = now();
      log.debug(
        { root: request.root, code: failure.code },
        `a working tree is not watched: ${failure.message}`,
      );
    };
    try {
      const running = await watchers.watch(request, { onChanges: tell, onEnd: fail });
      if (watch.isClosed) running.close();
      else watch.running = running;
    } catch (error) {
      if (!(error instanceof WatchFailure)) throw error;
      fail(error);
    }
    // Something may have changed while the watch started.
    tell();
  }

  #end(key: string, watch: Watch): void {
    watch.isClosed = true;
    watch.running?.close();
    this.#watches.delete(key);
  }

  /** Ends all watches. */
  stop(): void {
    this.#isOver = true;
    for (const [key, watch] of this.#watches) this.#end(key, watch);
  }
}
