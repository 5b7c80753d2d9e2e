import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { ChokidarOptions, FSWatcher } from 'chokidar';
import type { Log } from '../../lib/log.ts';
import { isWithin } from '../real-path.ts';
import { countTree } from './tree-size.ts';
import {
  type FileChangeType,
  type OpenTree,
  type TreeOptions,
  type TreeSize,
  type TreeSource,
  WatchFailure,
} from './tree-source.ts';

/**
 * Number of events in a burst from which some may be lost: the kernel's queue has 16,384 places by default (`fs.inotify.max_queued_events`), and
 * drops what does not fit without a trace that a program could see.
 */
const BURST_EVENTS = 8_192;
/** Time without events after which a burst is over, in ms. */
const BURST_QUIET_MS = 500;
/** Coarseness of file times, in ms. */
const TIME_SLACK_MS = 50;

/** Makes watchers; `watch` of chokidar. */
type MakeWatcher = (root: string, options: ChokidarOptions) => FSWatcher;

/** A burst of events. Times are in ms since the epoch, as those of files are. */
interface Burst {
  readonly since: number;
  count: number;
  timer: NodeJS.Timeout;
  /** When changes of the burst were reported, by path. */
  readonly reportedAt: Map<string, number>;
}

const TYPES: Readonly<Record<string, FileChangeType>> = {
  add: 'added',
  addDir: 'added',
  change: 'updated',
  unlink: 'deleted',
  unlinkDir: 'deleted',
};

/**
 * Opens trees with chokidar, which is loaded with the first of them. On Linux each folder takes one watch of the system, which all trees of the
 * process share.
 *
 * @param options.makeWatcher for tests. Default: `watch` of chokidar.
 */
export const chokidarTrees =
  (
    log: Log,
    { makeWatcher, burstEvents = BURST_EVENTS }: { makeWatcher?: MakeWatcher; burstEvents?: number } = {},
  ): OpenTree =>
  async (options) => {
    const make = makeWatcher ?? (await import('chokidar')).watch;
    const tree = new ChokidarTree(options, { make, log, burstEvents });
    await tree.begin();
    return tree;
  };

/** One scan of the tree, and the watcher that made it. */
interface Scan {
  readonly watcher: FSWatcher;
  /** What was found before the watcher was ready, with the time of the last change of each file. Empty unless it is asked for. */
  readonly found: Map<string, number | undefined>;
}

class ChokidarTree implements TreeSource {
  readonly #options: TreeOptions;
  readonly #make: MakeWatcher;
  readonly #log: Log;
  readonly #burstEvents: number;
  readonly #watchers = new Set<FSWatcher>();
  #current: FSWatcher | undefined;
  #size: TreeSize = { folders: 0, entries: 0 };
  #burst: Burst | undefined;
  #isScanning = false;
  #isClosed = false;

  constructor(options: TreeOptions, parts: { make: MakeWatcher; log: Log; burstEvents: number }) {
    this.#options = options;
    this.#make = parts.make;
    this.#log = parts.log;
    this.#burstEvents = parts.burstEvents;
  }

  get size(): TreeSize {
    return this.#size;
  }

  async begin(): Promise<void> {
    try {
      await countTree(this.#options);
      const { watcher } = await this.#scan(false);
      this.#current = watcher;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async rescan(): Promise<void> {
    await this.#replace(undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#burst?.timer);
    this.#burst = undefined;
    await Promise.all([...this.#watchers].map((watcher) => this.#end(watcher)));
  }

  /** Scans with a new watcher beside the present one, so that nothing is missed in between. */
  async #replace(compare: ((scan: Scan, before: FSWatcher) => void) | undefined): Promise<void> {
    const before = this.#current;
    if (this.#isScanning || this.#isClosed || before === undefined) return;
    this.#isScanning = true;
    try {
      const scan = await this.#scan(compare !== undefined);
      if (this.#isClosed) return;
      compare?.(scan, before);
      this.#current = scan.watcher;
      await this.#end(before);
    } catch (error) {
      if (!this.#isClosed) this.#fail(failureOf(error, this.#options.root));
    } finally {
      this.#isScanning = false;
    }
  }

  #scan(keepsFound: boolean): Promise<Scan> {
    const { root, isRecursive, isIgnored } = this.#options;
    const found: Scan['found'] = new Map();
    let isReady = false;
    let size: TreeSize = { folders: 0, entries: 0 };
    let hasRoot = false;
    const watcher = this.#make(root, {
      // The batcher joins what belongs together. With this option names such as `x~` would not be reported.
      atomic: false,
      // A link may lead anywhere.
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => path !== root && isIgnored(path, stats),
      ...(isRecursive ? {} : { depth: 0 }),
    });
    this.#watchers.add(watcher);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        const failure = failureOf(error, root);
        if (isReady) this.#fail(failure);
        else reject(failure);
      };
      watcher.on('all', (event, path, stats) => {
        const type = TYPES[event];
        if (path === root) hasRoot = type !== 'deleted';
        const by = type === 'added' ? 1 : type === 'deleted' ? -1 : 0;
        const isFolder = event === 'addDir' || event === 'unlinkDir';
        size = { folders: size.folders + (isFolder ? by : 0), entries: size.entries + by };
        this.#size = size;
        try {
          if (by > 0) this.#options.checkSize(size);
        } catch (error) {
          fail(error);
          return;
        }
        if (!isReady && !keepsFound) return;
        if (!isReady && type === 'deleted') found.delete(path);
        else if (!isReady) found.set(path, stats?.isFile() === true ? stats.ctimeMs : undefined);
        else if (type !== undefined && !this.#isClosed) this.#report(path, type);
      });
      watcher.on('raw', () => isReady && this.#noteEvent());
      watcher.on('error', (error) => {
        // Others concern single files, which may be gone already.
        if (isLimit(error)) fail(error);
        else this.#log.debug({ error, root }, 'a file of a watched folder cannot be watched');
      });
      watcher.on('ready', () => {
        isReady = true;
        if (this.#isClosed) reject(new WatchFailure('failed', `the watch of ${root} was closed`));
        else if (!hasRoot) reject(new WatchFailure('missing', `${root} does not exist`));
        else resolve({ watcher, found });
      });
    });
  }

  #report(path: string, type: FileChangeType): void {
    this.#burst?.reportedAt.set(path, Date.now());
    this.#options.onChange({ path, type });
  }

  #noteEvent(): void {
    if (this.#isClosed) return;
    this.#burst ??= {
      since: Date.now(),
      count: 0,
      timer: setTimeout(() => this.#endBurst(), BURST_QUIET_MS),
      reportedAt: new Map(),
    };
    this.#burst.count += 1;
    this.#burst.timer.refresh();
  }

  #endBurst(): void {
    const burst = this.#burst;
    this.#burst = undefined;
    if (burst === undefined || burst.count < this.#burstEvents) return;
    void this.#replace((scan, before) => this.#compare(scan, before, burst));
  }

  /** Reports what the events of a burst did not tell. */
  #compare({ found }: Scan, before: FSWatcher, burst: Burst): void {
    const { root } = this.#options;
    const known = new Set([root]);
    for (const [folder, names] of Object.entries(before.getWatched()))
      if (isWithin(folder, root)) for (const name of names) known.add(join(folder, name));
    for (const [path, changedAt] of found) {
      const toldAt = burst.reportedAt.get(path) ?? burst.since - TIME_SLACK_MS;
      if (!known.has(path)) this.#report(path, 'added');
      else if (changedAt !== undefined && changedAt > toldAt) this.#report(path, 'updated');
    }
    for (const path of known) if (!found.has(path)) this.#report(path, 'deleted');
  }

  #fail(failure: WatchFailure): void {
    if (this.#isClosed) return;
    void this.close();
    this.#options.onFailure(failure);
  }

  async #end(watcher: FSWatcher): Promise<void> {
    this.#watchers.delete(watcher);
    await watcher.close().catch((error: unknown) => {
      this.#log.warn({ error, root: this.#options.root }, 'a watcher of files did not close cleanly');
    });
  }
}

const isLimit = (error: unknown): boolean => ['ENOSPC', 'EMFILE', 'ENFILE'].includes(errorCode(error) ?? '');

/** A failure in words, with the setting of the system that would help. */
function failureOf(error: unknown, root: string): WatchFailure {
  if (error instanceof WatchFailure) return error;
  switch (errorCode(error)) {
    case 'ENOSPC':
      return new WatchFailure(
        'systemLimit',
        `The system has no more watches for ${root}: raise fs.inotify.max_user_watches${presentValue('max_user_watches')}, for example with "sudo sysctl fs.inotify.max_user_watches=524288", or watch less`,
        { cause: error },
      );
    case 'EMFILE':
    case 'ENFILE':
      return new WatchFailure(
        'systemLimit',
        `The system cannot open another watch for ${root}: raise fs.inotify.max_user_instances${presentValue('max_user_instances')} with sysctl, or the limit of open files with "ulimit -n"`,
        { cause: error },
      );
    default:
      return new WatchFailure(
        'failed',
        `${root} cannot be watched (${errorCode(error) ?? 'unknown error'})`,
        {
          cause: error,
        },
      );
  }
}

function presentValue(name: string): string {
  try {
    return ` (now ${readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8').trim()})`;
  } catch (error) {
    // Only Linux has it.
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}
