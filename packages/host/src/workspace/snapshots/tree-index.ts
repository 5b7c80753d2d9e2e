import { join } from 'node:path';
import { type Git, type GitCall, type GitOutput, splitNul } from '../git/git.ts';
import { findRepository, ignoreRules, type Repository, treeOf } from '../git/repository.ts';
import { ChangeFlag } from '../watching/change-flag.ts';
import { lateChanges } from './late-changes.ts';
import { type Listing, type Skipped, type SnapshotLimits, sortPaths } from './listing.ts';
import { CACHE_NAMES, exists, type StoreFolder } from './store-folder.ts';
import { type Blob, parseDiff, type TreeChange } from './tree-changes.ts';

/** The content of a working tree at one moment. */
export interface Snapshot {
  /** Id of the tree. */
  readonly tree: string;
  readonly skipped: readonly Skipped[];
}

/** A call of git on a store. */
export interface StoreCall extends Omit<GitCall, 'cwd' | 'hasUserConfig'> {
  /** Where objects are found. `own`: only in the store. Default: `own`. */
  readonly objects?: 'own' | 'all';
  /** Runs in the working tree. */
  readonly isInTree?: boolean;
}

/** The part of a store that its index uses. */
export interface IndexParts {
  readonly root: string;
  readonly folder: StoreFolder;
  readonly git: Git;
  readonly limits: SnapshotLimits;
  isPrivate(path: string): boolean;
  now(): number;
  run(args: readonly string[], call?: StoreCall): Promise<GitOutput>;
  difference(before: string, after: string): Promise<TreeChange[]>;
  treeWith(tree: string, changes: readonly TreeChange[]): Promise<string>;
  /** Writes the objects of a tree with changes. */
  writeTrees(tree: string, changes: readonly TreeChange[]): Promise<void>;
}

/** The part of the working tree that the index has as it is on disk, but for what its flag tells. */
interface Synced {
  readonly scope: string;
  readonly tree: string;
  readonly skipped: readonly Skipped[];
}

/** The rules of the user outside of `.gitignore` files are read again after this time. */
const RULES_MS = 30_000;
/** With so many changed files, their trees are written together. */
const MANY = 64;
/** No folder is watched any longer when no snapshot was taken for this time. */
const IDLE_MS = 600_000;

/** The index of a store. It stays between snapshots, so that only what has changed is read. Calls must not overlap. */
export class TreeIndex {
  readonly #parts: IndexParts;
  #rulesAt: number | undefined;
  #flag: ChangeFlag | undefined;
  #synced: Synced | undefined;
  #usedAt = 0;
  /** The last snapshot with many changes. */
  #step:
    | { readonly before: string; readonly after: string; readonly changes: readonly TreeChange[] }
    | undefined;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /**
   * Brings a folder in the index up to date with the disk. `lateFrom`: called when everything was read; if it gives a time (of files, in ms),
   * files that have changed from then on are in the snapshot as they were in the one before.
   */
  async record(scope: string, lateFrom?: () => number | undefined): Promise<Snapshot> {
    this.#usedAt = this.#parts.now();
    if (this.#synced?.scope !== scope) await this.close();
    const synced = this.#synced;
    const changed = (await this.#flag?.take()) ?? 'everything';
    if (synced !== undefined && changed !== 'everything' && changed.size === 0) return synced;
    this.#synced = undefined;
    try {
      const only = changed === 'everything' || synced === undefined ? undefined : changed;
      const found = await this.#update(scope, only, { before: synced, lateFrom });
      this.#synced = { ...found.synced, scope };
      if (only === undefined) await this.#watch(scope);
      return found.snapshot;
    } catch (error) {
      this.#flag?.putBack();
      throw error;
    }
  }

  /** Removes the index: the next snapshot reads every file. */
  async drop(): Promise<void> {
    this.#synced = undefined;
    this.#rulesAt = undefined;
    await this.#parts.folder.dropIndex();
  }

  /** Whether it is known which files may have changed since the last snapshot. */
  get isWatched(): boolean {
    return this.#flag?.isOpen === true;
  }

  /** Resolves when it is known what has changed since the last snapshot, or that this cannot be known. */
  async watched(): Promise<void> {
    await this.#flag?.opened();
  }

  /** Ends the watches of a tree that is not used. */
  rest(): void {
    if (this.#parts.now() - this.#usedAt > IDLE_MS) void this.close();
  }

  /** Ends the watches of the tree. Resolves when nothing is written into the store's folder for them any more. */
  async close(): Promise<void> {
    const flag = this.#flag;
    this.#flag = undefined;
    this.#synced = undefined;
    await flag?.close();
  }

  /** Begins to watch, for the next snapshots. Caches are not watched, unless the user's rules let files in them be recorded. */
  async #watch(scope: string): Promise<void> {
    if (this.#flag !== undefined) return;
    const { root, folder, run, isPrivate } = this.#parts;
    const paths = splitNul(
      (await run(['ls-files', '-z', '--', scope === '' ? '.' : scope], { isInTree: true })).stdout,
    );
    const hasCaches = paths.some((path) =>
      path
        .toString('latin1')
        .split('/')
        .some((name) => CACHE_NAMES.has(name)),
    );
    this.#flag = new ChangeFlag({
      root: join(root, scope),
      fence: join(folder.path, 'fence'),
      // The host writes into its own folder all the time.
      leavesOut: (name, path) => (!hasCaches && CACHE_NAMES.has(name)) || isPrivate(join(root, scope, path)),
    });
    this.#flag.open();
  }

  async #update(
    scope: string,
    only: ReadonlySet<string> | undefined,
    { before, lateFrom }: { before: Synced | undefined; lateFrom: (() => number | undefined) | undefined },
  ): Promise<{ synced: Omit<Synced, 'scope'>; snapshot: Snapshot }> {
    const { root, folder, limits, isPrivate } = this.#parts;
    const repository = await this.#ownRepository();
    await this.#setRules(repository);
    const isNew = !(await exists(folder.index));
    if (isNew) await this.#seed(repository);
    const isFirst = isNew && repository === undefined;
    const earlier = before?.tree ?? (lateFrom === undefined || isFirst ? undefined : await this.#writeTree());
    const paths =
      only === undefined ? [scope === '' ? '.' : scope] : [...only].map((path) => inScope(scope, path));
    const sort = async (names: readonly Buffer[]): Promise<Listing> =>
      sortPaths(root, names, limits, isPrivate);
    let listing = await sort(await (only === undefined ? this.#list(paths) : this.#listThese(scope, paths)));
    // Git finds what is in a folder that has taken the place of a file.
    if (listing.folders.length > 0 && paths.length >= MANY)
      listing = await sort(await this.#list([scope === '' ? '.' : scope]));
    const isSame = listing.present.length === 0 && listing.gone.length === 0;
    if (!isSame) await this.#apply(listing);
    const changes =
      before === undefined || isSame ? undefined : await this.#manyChanges(before.tree, listing);
    const tree = isSame && before !== undefined ? before.tree : await this.#writeTree();
    if (changes !== undefined && before !== undefined)
      this.#step = { before: before.tree, after: tree, changes };
    const skipped =
      only === undefined
        ? listing.skipped
        : [...(before?.skipped ?? []).filter(({ path }) => !isBelowAny(path, paths)), ...listing.skipped];
    const moment = lateFrom?.();
    const shown =
      moment === undefined || earlier === undefined
        ? tree
        : await this.#without(earlier, tree, { moment, listing });
    return { synced: { tree, skipped }, snapshot: { tree: shown, skipped } };
  }

  /** Many changes between a tree and the index. Writes their trees at once. `undefined`: there are few. */
  async #manyChanges(tree: string, { present, gone }: Listing): Promise<TreeChange[] | undefined> {
    if (present.length + gone.length < MANY) return undefined;
    const { run, writeTrees } = this.#parts;
    const { stdout } = await run(
      ['diff-index', '--cached', '-z', '--raw', '--no-abbrev', '--no-renames', tree],
      { objects: 'all' },
    );
    const changes = parseDiff(splitNul(stdout));
    await writeTrees(tree, changes);
    return changes;
  }

  /** The changes between two trees if they are those of the last snapshot. */
  stepBetween(before: string, after: string): readonly TreeChange[] | undefined {
    return this.#step?.before === before && this.#step.after === after ? this.#step.changes : undefined;
  }

  /** The tree without the changes that were made from `moment` on. */
  async #without(
    earlier: string,
    tree: string,
    { moment, listing }: { moment: number; listing: Listing },
  ): Promise<string> {
    const { root, difference, treeWith } = this.#parts;
    const late = await lateChanges(root, await difference(earlier, tree), {
      moment,
      times: listing.times,
      committed: () => this.#committedSince(earlier, moment),
    });
    return late.length === 0 ? tree : treeWith(tree, late);
  }

  /** Files that a tree does not have, and the user's commit at a moment has. Without a log of `HEAD` there are none. */
  async #committedSince(earlier: string, moment: number): Promise<Map<string, Blob>> {
    const { git, difference } = this.#parts;
    const repository = await this.#ownRepository();
    const head = repository && (await treeOf(git, repository, `HEAD@{${Math.floor(moment / 1_000)}}`));
    const changes = head === undefined ? [] : await difference(earlier, head);
    return new Map(
      changes.flatMap(({ path, before, after }) =>
        before === undefined && after !== undefined ? [[path, after] as const] : [],
      ),
    );
  }

  async #ownRepository(): Promise<Repository | undefined> {
    const { root } = this.#parts;
    const repository = await findRepository(root);
    return repository?.root === root ? repository : undefined;
  }

  async #setRules(repository: Repository | undefined): Promise<void> {
    const { folder, git, now } = this.#parts;
    if (this.#rulesAt !== undefined && now() - this.#rulesAt < RULES_MS) return;
    await folder.setRules(repository === undefined ? '' : await ignoreRules(git, repository));
    this.#rulesAt = now();
  }

  async #list(paths: readonly string[]): Promise<Buffer[]> {
    const { run } = this.#parts;
    const { stdout } = await run(
      ['ls-files', '--modified', '--deleted', '--others', '-z', '--exclude-standard', '--', ...paths],
      { isInTree: true },
    );
    return splitNul(stdout);
  }

  /** As `#list`, for many paths that may have changed. Git compares each pathspec with each file of the index. */
  async #listThese(scope: string, paths: readonly string[]): Promise<Buffer[]> {
    if (paths.length < MANY) return this.#list(paths);
    const known = new Set((await this.#parts.run(['ls-files', '-z'])).stdout.toString('latin1').split('\0'));
    const isKnown = (path: string): boolean => known.has(Buffer.from(path).toString('latin1'));
    const others = paths.filter((path) => !isKnown(path));
    const isFew = others.length < MANY;
    const found = others.length === 0 ? [] : await this.#list(isFew ? others : [scope === '' ? '.' : scope]);
    return [...paths.filter(isKnown).map((path) => Buffer.from(path)), ...found];
  }

  async #apply({ present, gone }: Listing): Promise<void> {
    const { run } = this.#parts;
    if (gone.length > 0)
      await run(['update-index', '-z', '--force-remove', '--stdin'], { input: listed(gone), isInTree: true });
    if (present.length > 0)
      await run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        input: listed(present),
        isInTree: true,
      });
  }

  async #writeTree(): Promise<string> {
    return (await this.#parts.run(['write-tree', '--missing-ok'])).stdout.toString('utf8').trimEnd();
  }

  /** Fills a new index from the user's last commit, so that unchanged files are not copied. */
  async #seed(repository: Repository | undefined): Promise<void> {
    const { git, run } = this.#parts;
    const head = repository && (await treeOf(git, repository, 'HEAD'));
    await run(['read-tree', head ?? '--empty'], { objects: 'all', isInTree: true });
    await run(['update-index', '-q', '--refresh'], { isInTree: true, okCodes: [0, 1] });
  }
}

const listed = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('');

const inScope = (scope: string, path: string): string =>
  [scope, path].filter((part) => part !== '').join('/') || '.';

const isBelowAny = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
