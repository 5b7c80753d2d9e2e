import { join } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { PrivatePaths } from '../../workspace/private-paths.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import type { RunningWatch, TreeWatchers } from '../../workspace/watching/tree-watchers.ts';
import { hostFiles } from './host-files.ts';
import type { PlaceLayout } from './layout.ts';
import { type ReadContainer, readDirectory, readPlugin } from './read-container.ts';
import { SourceFault } from './source-files.ts';

/** Maximum plugins of one place. */
const MAX_PLUGINS = 50;
/** Maximum readings in a row while files change. The next change causes another one. */
const MAX_ATTEMPTS = 3;

/** What places need of the host. */
export interface PlaceParts {
  readonly watchers: TreeWatchers;
  readonly privatePaths: Pick<PrivatePaths, 'covers'>;
  readonly log: Log;
}

/** A root of customizations on this machine. */
export interface PlaceOptions {
  /** Absolute path. */
  readonly root: string;
  readonly layout: PlaceLayout;
  /** Whether links out of the root are refused. */
  readonly isConfined: boolean;
}

/** A folder to watch. */
interface WatchedFolder {
  readonly path: string;
  readonly isRecursive: boolean;
}

/** The customizations below one folder: a project's or the user's. Read again whenever something changes while it is in use. */
export class Place {
  readonly #parts: PlaceParts;
  readonly #options: PlaceOptions;
  readonly #onChanged: () => void;
  readonly #watches = new Map<string, RunningWatch>();
  #known: readonly ReadContainer[] | undefined;
  #reading: Promise<readonly ReadContainer[]> | undefined;
  /** Incremented by each change. */
  #version = 0;
  #isWatched = false;
  #isClosed = false;

  /** `onChanged`: called when a file may have changed. */
  constructor(parts: PlaceParts, options: PlaceOptions, onChanged: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#onChanged = onChanged;
  }

  /** The containers as they are now. Rejects only for faults of the host. */
  read(): Promise<readonly ReadContainer[]> {
    if (this.#reading !== undefined) return this.#reading;
    if (this.#known !== undefined && this.#isWatched) return Promise.resolve(this.#known);
    const reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  /** Ends the watches. */
  close(): void {
    this.#isClosed = true;
    this.#isWatched = false;
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }

  async #read(): Promise<readonly ReadContainer[]> {
    for (let attempt = 1; ; attempt += 1) {
      const version = this.#version;
      // Watch first, so that no change between reading and watching is missed.
      const folders = await this.#folders();
      // A root that does not exist cannot be watched.
      this.#isWatched = (await this.#watch(folders)) && folders.length > 0;
      const containers = folders.length === 0 ? [] : await this.#containers();
      this.#known = containers;
      if (version === this.#version || attempt === MAX_ATTEMPTS) return containers;
    }
  }

  /** Existing folders whose changes matter. Parents are watched for folders that are created later. */
  async #folders(): Promise<readonly WatchedFolder[]> {
    const { root, layout } = this.#options;
    const paths = new Map<string, boolean>([['', false]]);
    const plugins = layout.plugins === undefined ? [] : [layout.plugins];
    for (const path of [...layout.folders.map((each) => each.path), ...plugins]) {
      const names = path.split('/');
      for (let depth = 1; depth < names.length; depth += 1) {
        const parent = names.slice(0, depth).join('/');
        if (!paths.has(parent)) paths.set(parent, false);
      }
      paths.set(path, true);
    }
    const found = await Promise.all(
      [...paths].map(async ([path, isRecursive]) => {
        try {
          const real = await findRealPath(join(root, path));
          return real.exists ? [{ path: real.path, isRecursive }] : [];
        } catch (error) {
          this.#parts.log.debug({ error, path }, 'a folder of customizations is not accessible');
          return [];
        }
      }),
    );
    return found.flat();
  }

  /** Returns whether every change will be seen. */
  async #watch(folders: readonly WatchedFolder[]): Promise<boolean> {
    const wanted = new Map(folders.map((each) => [`${each.isRecursive ? 'r' : 'd'}:${each.path}`, each]));
    for (const [key, watch] of this.#watches) {
      if (wanted.has(key)) continue;
      watch.close();
      this.#watches.delete(key);
    }
    for (const [key, { path, isRecursive }] of wanted) {
      if (this.#watches.has(key)) continue;
      try {
        const watch = await this.#parts.watchers.watch(
          { root: path, isRecursive },
          {
            onChanges: () => this.#changed(),
            onEnd: () => {
              this.#watches.delete(key);
              this.#changed();
            },
          },
        );
        if (this.#isClosed) watch.close();
        else this.#watches.set(key, watch);
      } catch (error) {
        // The place is read again before each turn instead.
        this.#parts.log.debug({ path, reason: errorText(error) }, 'customizations are not watched');
        return false;
      }
    }
    return !this.#isClosed;
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#version += 1;
    this.#isWatched = false;
    this.#onChanged();
  }

  async #containers(): Promise<ReadContainer[]> {
    const { root, layout, isConfined } = this.#options;
    const files = hostFiles({ root, isConfined, privatePaths: this.#parts.privatePaths });
    const containers: ReadContainer[] = [];
    for (const folder of layout.folders) {
      const read = await readDirectory(files, folder, isConfined);
      if (read !== undefined) containers.push(read);
    }
    const { plugins } = layout;
    if (plugins === undefined) return containers;
    try {
      const found = (await files.list(plugins)) ?? [];
      for (const { name, kind } of found.slice(0, MAX_PLUGINS))
        if (kind === 'directory') containers.push(await readPlugin(files, { path: `${plugins}/${name}` }));
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      this.#parts.log.warn({ root, reason: error.message }, 'the folder of plugins cannot be read');
    }
    return containers;
  }
}
