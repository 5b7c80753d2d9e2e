import { randomUUID } from 'node:crypto';
import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { lstat, mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';

/** Limit of folders of one tree; each is one watch of the system. */
const MAX_FOLDERS = 10_000;
/** Limit of folders of all trees. */
const MAX_TOTAL_FOLDERS = 30_000;
/** More changed paths than these count as everything. */
const MAX_PATHS = 2_000;
/** More folders that may have come are found by a walk of the whole tree. */
const MAX_WAITING = 1_000;
/** Folders looked at together. */
const AT_ONCE = 16;
/** Time limit for the system to report a file that was just written. */
const FENCE_MS = 1_000;

/**
 * File systems that only this machine changes, by the type that Linux reports: ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs. Others, such as
 * those of a network, do not report changes of other machines.
 */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1,
]);

let totalFolders = 0;

/** Paths that may have changed, relative to the root, with all that is below them; or everything, also when ignore rules have changed. */
export type MaybeChanged = ReadonlySet<string> | 'everything';

/**
 * Knows which files of a tree may have changed since it was last asked. It says "everything" where it cannot know: before all folders are watched,
 * on file systems of other machines, above a limit, and on other systems than Linux. Reads no file. It misses writes through mapped memory alone,
 * and changes that the kernel dropped because the queue of this process was full of events of other trees.
 */
export class ChangeFlag {
  readonly #root: string;
  readonly #fence: string;
  readonly #leavesOut: (name: string, path: string) => boolean;
  /** By path relative to the root; '' for the root. */
  readonly #watchers = new Map<string, FSWatcher>();
  #fenceWatcher: FSWatcher | undefined;
  #changed = new Set<string>();
  #isEverything = true;
  /** Device and inode of the root: another folder at its path is not watched. */
  #rootId: string | undefined;
  /** Paths whose kind is not known yet. */
  #waiting = new Set<string>();
  #walking: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #state: 'opening' | 'open' | 'failed' | 'closed' = 'opening';
  readonly #fences = new Map<string, () => void>();

  /**
   * `fence`: a folder for files of this flag, outside of the tree. `leavesOut`: whether a folder is not watched, by its name and its path
   * relative to the root. `.git` never is.
   */
  constructor(options: { root: string; fence: string; leavesOut: (name: string, path: string) => boolean }) {
    this.#root = options.root;
    this.#fence = options.fence;
    this.#leavesOut = options.leavesOut;
  }

  /** Begins to watch, in the background. Calling it again does nothing. */
  open(): void {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#fail();
      // Folders that are gone, and limits of the system.
      if (errorCode(error) === undefined) throw error;
    });
  }

  /** Whether all folders are watched. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Resolves when all folders are watched, or it is known that they cannot be. */
  async opened(): Promise<void> {
    await this.#opening;
  }

  /**
   * The paths that may have changed since the last call. Changes that ended before the call are in it; changes during the call may also be in
   * the next one.
   */
  async take(): Promise<MaybeChanged> {
    if (this.#state !== 'open') return 'everything';
    const isPassed = await this.#passFence();
    while (this.#walking !== undefined) await this.#walking;
    if (this.#state !== 'open') return 'everything';
    if ((await idOf(this.#root)) !== this.#rootId) {
      this.#fail();
      return 'everything';
    }
    const changed = this.#isEverything || !isPassed ? 'everything' : this.#changed;
    this.#changed = new Set();
    // Without the fence it is not known what else the system has to report.
    this.#isEverything = !isPassed;
    return changed;
  }

  /** The caller could not use what `take` gave. */
  putBack(): void {
    this.#isEverything = true;
  }

  /** Ends all watches. Resolves when nothing is written into the fence any more. */
  async close(): Promise<void> {
    this.#end('closed');
    await this.#opening;
  }

  #fail(): void {
    if (this.#state !== 'closed') this.#end('failed');
  }

  #end(state: 'failed' | 'closed'): void {
    this.#state = state;
    this.#fenceWatcher?.close();
    this.#fenceWatcher = undefined;
    for (const path of [...this.#watchers.keys()]) this.#unwatch(path);
    for (const pass of this.#fences.values()) pass();
    this.#waiting.clear();
    this.#changed.clear();
  }

  async #open(): Promise<void> {
    if (process.platform !== 'linux' || !LOCAL_TYPES.has((await statfs(this.#root)).type)) {
      this.#fail();
      return;
    }
    await rm(this.#fence, { recursive: true, force: true });
    await mkdir(this.#fence, { recursive: true, mode: 0o700 });
    if (this.#isOver) return;
    this.#fenceWatcher = watch(this.#fence, { persistent: false }, (_, name) =>
      this.#fences.get(`${name}`)?.(),
    );
    this.#fenceWatcher.on('error', () => this.#fail());
    this.#rootId = await idOf(this.#root);
    await this.#add('');
    while (this.#walking !== undefined) await this.#walking;
    if (!this.#isOver) this.#state = 'open';
  }

  get #isOver(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  /** Writes a file and waits for its event: the system has reported everything before it by then. */
  async #passFence(): Promise<boolean> {
    const name = randomUUID();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), FENCE_MS);
    this.#fences.set(name, () => resolve(this.#state === 'open'));
    const path = join(this.#fence, name);
    try {
      await writeFile(path, '');
      return await promise;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    } finally {
      clearTimeout(timer);
      this.#fences.delete(name);
      await rm(path, { force: true });
    }
  }

  /** Watches a folder and all that are in it. A folder is watched before it is read, so that nothing is missed in between. */
  async #add(top: string): Promise<void> {
    let level = [top];
    while (level.length > 0 && !this.#isOver) {
      const next: string[] = [];
      for (let at = 0; at < level.length && !this.#isOver; at += AT_ONCE) {
        const found = await Promise.all(level.slice(at, at + AT_ONCE).map((folder) => this.#addOne(folder)));
        next.push(...found.flat());
      }
      level = next;
    }
  }

  async #addOne(folder: string): Promise<string[]> {
    const full = join(this.#root, folder);
    if (!this.#watchers.has(folder)) {
      if (this.#watchers.size >= MAX_FOLDERS || totalFolders >= MAX_TOTAL_FOLDERS) {
        this.#fail();
        return [];
      }
      try {
        const watcher = watch(full, { persistent: false, encoding: 'buffer' }, (event, name) =>
          this.#note(event, folder, name),
        );
        this.#watchers.set(folder, watcher);
        totalFolders += 1;
        watcher.on('error', () => this.#fail());
      } catch (error) {
        if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
        // The folder above reports that it is gone.
        return [];
      }
    }
    return (await entriesOf(full)).flatMap((entry) => {
      if (!entry.isDirectory() || entry.name === '.git') return [];
      const path = below(folder, entry.name);
      return this.#leavesOut(entry.name, path) ? [] : [path];
    });
  }

  #unwatch(path: string): void {
    const watcher = this.#watchers.get(path);
    if (watcher === undefined) return;
    this.#watchers.delete(path);
    totalFolders -= 1;
    watcher.close();
  }

  #note(event: string, folder: string, name: Buffer | null): void {
    if (this.#isOver) return;
    const text = name?.toString('utf8');
    if (text === '.git') {
      // The folder has become a repository, or is none any more.
      if (event === 'rename') this.#mark(folder);
      return;
    }
    if (text !== undefined && this.#leavesOut(text, below(folder, text))) return;
    const path = text === undefined || text.includes('\ufffd') ? folder : below(folder, text);
    this.#mark(path);
    if (event !== 'rename') return;
    this.#waiting.add(path);
    if (this.#waiting.size > MAX_WAITING) this.#waiting = new Set(['']);
    this.#walking ??= this.#walk().finally(() => {
      this.#walking = undefined;
    });
  }

  #mark(path: string): void {
    if (path === '' || path.endsWith('.gitignore')) this.#isEverything = true;
    this.#changed.add(path);
    if (this.#changed.size <= MAX_PATHS) return;
    this.#changed.clear();
    this.#isEverything = true;
  }

  /** Watches new folders, and forgets those that are gone. */
  async #walk(): Promise<void> {
    try {
      while (this.#waiting.size > 0 && !this.#isOver) {
        const paths = [...this.#waiting];
        this.#waiting.clear();
        for (const path of paths) {
          // Another folder may have come in its place.
          if (path !== '' && this.#watchers.has(path))
            for (const each of [...this.#watchers.keys()])
              if (each === path || each.startsWith(`${path}/`)) this.#unwatch(each);
          if (await isFolder(join(this.#root, path))) await this.#add(path);
        }
      }
    } catch (error) {
      this.#fail();
      if (errorCode(error) === undefined) throw error;
    }
  }
}

const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

async function idOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await lstat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Empty for a folder that is gone. A folder that cannot be read has nothing that could be recorded. */
async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
