import { lstat } from 'node:fs/promises';
import { basename, dirname, sep } from 'node:path';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PrivatePaths } from '../private-paths.ts';
import { isMissing, isWithin } from '../real-path.ts';
import { ChangeBatcher } from './change-batcher.ts';
import { GITIGNORE, GitIgnore } from './git-ignore.ts';
import { isNeverReported } from './ignored-folders.ts';
import {
  type ChangeBatch,
  type OpenTree,
  type TreeSize,
  type TreeSource,
  WatchFailure,
} from './tree-source.ts';
import { WatchFilter, type WatchPaths } from './watch-filter.ts';

/** Limits of what is watched. */
export interface WatchLimits {
  /** Of one tree. Default: 10,000 folders with 100,000 files. The source of a large program has less, and most home directories have more. */
  readonly perTree: TreeSize;
  /** Of all trees of the host. Default: 30,000 folders with 300,000 files. */
  readonly total: TreeSize;
}

const DEFAULT_LIMITS: WatchLimits = {
  perTree: { folders: 10_000, entries: 100_000 },
  total: { folders: 30_000, entries: 300_000 },
};

const COUNTED = [
  ['folders', 'folders'],
  ['entries', 'files and folders'],
] as const satisfies readonly (readonly [keyof TreeSize, string])[];

const NOTHING: TreeSize = { folders: 0, entries: 0 };

/** A file or a folder to watch. */
export interface WatchRequest extends WatchPaths {
  /** Whether files that `.gitignore` files name are left out. Default false. */
  readonly usesGitignore?: boolean;
}

/** The receiver of a watch. */
export interface WatchListener {
  /** Changes of the watched paths, at most about once a second and 4,000 at a time. */
  onChanges(batch: ChangeBatch): void;
  /** The watch has ended by itself. */
  onEnd(failure: WatchFailure): void;
}

/** A watch that runs. */
export interface RunningWatch {
  /** Ends the watch. Nothing is reported after this call. Calling it again does nothing. */
  close(): void;
}

/** Parts of the host that watches need. */
export interface TreeWatchersParts {
  readonly openTree: OpenTree;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly privatePaths: Pick<PrivatePaths, 'lookAhead'>;
  readonly limits?: WatchLimits;
}

/**
 * Watches files and folders for all parts of the host. Watches of the same tree share one watcher of the system, which starts with the first of them
 * and ends with the last. Private files of the host, the content of `node_modules` and the objects of version control are never reported.
 *
 * @example
 * const watch = await watchers.watch({ root, isRecursive: true }, {
 *   onChanges: ({ changes, isMissed }) => refresh(isMissed ? 'everything' : changes),
 *   onEnd: ({ message }) => log.warn({}, message),
 * });
 */
export class TreeWatchers {
  readonly #parts: TreeWatchersParts;
  readonly #limits: WatchLimits;
  readonly #trees = new Set<SharedTree>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: TreeWatchersParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
  }

  /** Number of trees, each with one watcher of the system. */
  get treeCount(): number {
    return this.#trees.size;
  }

  /**
   * Watches a file or a folder. `root` is a real path, which the caller has checked. Resolves when no further change is missed. Rejects with a
   * `WatchFailure`, and throws a `RangeError` for a bad pattern.
   */
  async watch(request: WatchRequest, listener: WatchListener): Promise<RunningWatch> {
    const filter = new WatchFilter(request);
    // chokidar turns backslashes into slashes, and so would watch another folder.
    if (sep === '/' && request.root.includes('\\'))
      throw new WatchFailure('failed', `${request.root} cannot be watched: its path contains a backslash`);
    const wanted = (await isFolder(request.root))
      ? { ...request, reports: (path: string) => filter.reports(path) }
      : // Editors replace files: the folder tells more than the file.
        fileIn(request);
    if (this.#isClosed) throw new WatchFailure('failed', 'The host is stopping');
    const watch = { listener, reports: wanted.reports };
    const tree = this.#treeFor(wanted);
    tree.watches.add(watch);
    try {
      await tree.opened;
    } catch (error) {
      tree.watches.delete(watch);
      throw error;
    }
    return {
      close: () => {
        if (tree.watches.delete(watch) && tree.watches.size === 0) this.#release(tree);
      },
    };
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const tree of [...this.#trees]) this.#release(tree);
    await Promise.all(this.#closing);
  }

  #treeFor(request: WatchRequest): SharedTree {
    const found = [...this.#trees].find((tree) => tree.covers(request));
    if (found !== undefined) return found;
    const tree = new SharedTree(request, this.#parts, {
      checkSize: (size) => this.#checkSize(tree, size),
      onFailure: () => this.#trees.delete(tree),
    });
    this.#trees.add(tree);
    tree.open();
    // The caller gets the failure.
    tree.opened.catch(() => this.#trees.delete(tree));
    return tree;
  }

  #checkSize(tree: SharedTree, size: TreeSize): void {
    const { perTree, total } = this.#limits;
    const others = [...this.#trees].filter((other) => other !== tree);
    for (const [kind, what] of COUNTED) {
      const count = size[kind];
      const max = perTree[kind];
      if (count > max)
        throw new WatchFailure(
          'tooLarge',
          `${tree.root} has more than ${max} ${what}, the limit of a watch: watch a folder in it, or exclude folders`,
          { max },
        );
      const maxTotal = total[kind];
      if (others.reduce((sum, other) => sum + other.size[kind], count) > maxTotal)
        throw new WatchFailure(
          'tooLarge',
          `All watches of this host together would need more than ${maxTotal} ${what}, the limit: end another watch, or exclude folders`,
          { max: maxTotal },
        );
    }
  }

  #release(tree: SharedTree): void {
    this.#trees.delete(tree);
    const closing = tree.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

interface SharedWatch {
  readonly listener: WatchListener;
  reports(path: string): boolean;
}

interface TreeHooks {
  /** Throws a `WatchFailure` at a limit. */
  checkSize(size: TreeSize): void;
  onFailure(): void;
}

/** A tree with the watches that share it. */
class SharedTree {
  readonly root: string;
  readonly watches = new Set<SharedWatch>();
  readonly #request: WatchRequest;
  readonly #parts: TreeWatchersParts;
  readonly #hooks: TreeHooks;
  readonly #filter: WatchFilter;
  readonly #gitIgnore: GitIgnore | undefined;
  readonly #batcher: ChangeBatcher;
  #source: TreeSource | undefined;
  #opened: Promise<void> | undefined;
  #isClosed = false;

  constructor(request: WatchRequest, parts: TreeWatchersParts, hooks: TreeHooks) {
    this.root = request.root;
    this.#request = request;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#filter = new WatchFilter(request);
    this.#gitIgnore = request.usesGitignore === true ? new GitIgnore(request.root) : undefined;
    this.#batcher = new ChangeBatcher(parts, (batch) => this.#tell(batch));
  }

  /** Resolves when the tree is watched. */
  get opened(): Promise<void> {
    if (this.#opened === undefined) throw new Error('the tree was not opened');
    return this.#opened;
  }

  get size(): TreeSize {
    return this.#source?.size ?? NOTHING;
  }

  open(): void {
    this.#opened = this.#open();
  }

  /** Whether the watcher of this tree reports all that a request asks for. */
  covers(request: WatchRequest): boolean {
    const { isRecursive, usesGitignore = false, excludes = [] } = this.#request;
    if (this.#isClosed || usesGitignore !== (request.usesGitignore ?? false)) return false;
    if (request.root === this.root)
      return (isRecursive || !request.isRecursive) && isSubset(excludes, request.excludes ?? []);
    if (!isRecursive || excludes.length > 0 || !isWithin(request.root, this.root)) return false;
    // What the tree leaves out, a watch of its own would report.
    for (let at = request.root; at !== this.root; at = dirname(at))
      if (isNeverReported(this.root, at) || this.#gitIgnore?.ignores(at, true) === true) return false;
    return !isNeverReported(this.root, `${request.root}/x`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#batcher.close();
    this.watches.clear();
    await this.#opened?.catch(() => undefined);
    await this.#source?.close();
  }

  async #open(): Promise<void> {
    const isPrivate = await this.#parts.privatePaths.lookAhead();
    const { root, isRecursive } = this.#request;
    this.#source = await this.#parts.openTree({
      root,
      isRecursive,
      isIgnored: (path, stats) =>
        !isWithin(path, root) ||
        isNeverReported(root, path) ||
        this.#filter.leavesOut(path) ||
        isPrivate(path, stats) ||
        (stats !== undefined && this.#gitIgnore?.ignores(path, stats.isDirectory()) === true),
      checkSize: this.#hooks.checkSize,
      onChange: (change) => {
        this.#batcher.add(change);
        if (this.#gitIgnore === undefined || basename(change.path) !== GITIGNORE) return;
        this.#gitIgnore.reset();
        void this.#source?.rescan();
      },
      onFailure: (failure) => {
        this.#isClosed = true;
        this.#batcher.close();
        this.#hooks.onFailure();
        const ended = [...this.watches];
        this.watches.clear();
        for (const { listener } of ended) listener.onEnd(failure);
      },
    });
  }

  #tell({ changes, isMissed }: ChangeBatch): void {
    for (const { listener, reports } of [...this.watches]) {
      const own = changes.filter(({ path }) => reports(path));
      if (isMissed || own.length > 0) listener.onChanges({ changes: own, isMissed });
    }
  }
}

const isSubset = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((each) => all.includes(each));

function fileIn({ root: file, usesGitignore = false }: WatchRequest) {
  return {
    root: dirname(file),
    isRecursive: false,
    usesGitignore,
    reports: (path: string) => path === file,
  };
}

/** Rejects with a `WatchFailure` for anything but a file or a folder. */
async function isFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return true;
    if (found.isFile()) return false;
  } catch (error) {
    if (isMissing(error)) throw new WatchFailure('missing', `${path} does not exist`, { cause: error });
    throw new WatchFailure('failed', `${path} cannot be watched`, { cause: error });
  }
  throw new WatchFailure('failed', `${path} is neither a file nor a folder`);
}
