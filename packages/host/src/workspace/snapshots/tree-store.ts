import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import { type Git, GitError, type GitOutput, splitNul } from '../git/git.ts';
import { findRepository, mergeBaseOf, objectFormatOf, treeOf } from '../git/repository.ts';
import { type StatusEntry, statusOf } from '../git/status.ts';
import { compactStore, isFull } from './compaction.ts';
import type { SnapshotLimits } from './listing.ts';
import { ObjectWriter, type TreeEntry } from './object-writer.ts';
import { SnapshotError } from './snapshot-error.ts';
import { exists, StoreFolder } from './store-folder.ts';
import { type CountedChange, parseBatch, parseDiff, type TreeChange } from './tree-changes.ts';
import { changedFolders } from './tree-edit.ts';
import { type Snapshot, type StoreCall, TreeIndex } from './tree-index.ts';

/** Two trees that contain only the changed files, before and after. */
export interface ChangePair {
  readonly before: string;
  readonly after: string;
}

/** Time limit of one snapshot. */
const LIMIT_MS = 60_000;
/** A tree that was too large is not looked at again during this time. */
const TOO_LARGE_MS = 600_000;
/** Content that was just written may belong to a revert that is not recorded yet. */
const GRACE_MS = 600_000;
const SNAPSHOT_TRIES = 3;
/** Pairs whose counts are kept in memory. */
const MAX_COUNTED = 16;
/** Ids of content that is known to be in the store. */
const MAX_NOTED = 20_000;

/** Dependencies of a store. */
export interface StoreParts {
  readonly git: Git;
  readonly limits: SnapshotLimits;
  /** Steady milliseconds. */
  now(): number;
  /** Whether a real path belongs to the host itself. */
  isPrivate(path: string): boolean;
}

/**
 * Snapshots of one working tree, in a git repository of the host's own. The user's repository is only read: its objects are found where they
 * are. The store has all content that a recorded change needs, so that the user may collect garbage. Snapshots and writes run one after the
 * other.
 */
export class TreeStore {
  readonly id: string;
  readonly root: string;
  readonly folder: StoreFolder;
  readonly #parts: StoreParts;
  readonly #index: TreeIndex;
  #format: 'sha1' | 'sha256' | undefined;
  /** Content that is in the store for certain. */
  readonly #written = new Set<string>();
  /** Sizes by id. */
  readonly #sizesById = new Map<string, number>();
  readonly #counted = new Map<string, Promise<CountedChange[]>>();
  #queue: Promise<unknown> = Promise.resolve();
  #preparing: Promise<void> | undefined;
  /** Snapshots that were asked for and have not begun, by scope. */
  readonly #waiting = new Map<string, Promise<Snapshot>>();
  #tooLarge: { readonly error: SnapshotError; readonly until: number } | undefined;

  constructor(parts: StoreParts, { id, root, path }: { id: string; root: string; path: string }) {
    this.#parts = parts;
    this.id = id;
    this.root = root;
    this.folder = new StoreFolder(parts.git, path);
    this.#index = new TreeIndex({
      ...parts,
      root,
      folder: this.folder,
      run: (args, call) => this.#run(args, call),
      difference: (before, after) => this.difference(before, after),
      treeWith: (tree, changes) => this.#treeWith(tree, changes),
      writeTrees: (tree, changes) => this.#writeTrees(tree, changes),
    });
  }

  /**
   * Records the present content of a folder of the working tree; '' for all of it. Ignored files, and files that `skipped` names, are left
   * out. A call that is made before a waiting one begins gets its result. Rejects with `SnapshotError`.
   */
  snapshot(scope: string): Promise<Snapshot> {
    const waiting = this.#waiting.get(scope);
    if (waiting !== undefined) return waiting;
    const snapshot = this.#inTurn(() => {
      this.#waiting.delete(scope);
      return this.#snapshot(scope);
    });
    this.#waiting.set(scope, snapshot);
    return snapshot;
  }

  /**
   * A snapshot for the start of something that may not wait for its end. `lateFrom` is called when everything was read. If it gives a time of
   * files, in ms, then files that have changed since are in the snapshot as they were in the one before.
   */
  snapshotUntil(scope: string, lateFrom: () => number | undefined): Promise<Snapshot> {
    return this.#inTurn(() => this.#snapshot(scope, lateFrom));
  }

  /** The changes between two trees within a scope, without renames. */
  async difference(before: string, after: string, scope = ''): Promise<TreeChange[]> {
    if (before === after) return [];
    const known = this.#index.stepBetween(before, after);
    if (known !== undefined)
      return scope === '' ? [...known] : known.filter(({ path }) => path.startsWith(`${scope}/`));
    const limit = scope === '' ? [] : ['--', scope];
    const { stdout } = await this.#run(
      ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', before, after, ...limit],
      { objects: 'all' },
    );
    return parseDiff(splitNul(stdout)).map(({ lines: _, ...change }) => change);
  }

  /** The changes of a pair, with renames and counts of lines. */
  counted({ before, after }: ChangePair): Promise<CountedChange[]> {
    if (before === after) return Promise.resolve([]);
    const key = `${before} ${after}`;
    const present = this.#counted.get(key);
    if (present !== undefined) return present;
    const counted = this.#count(before, after);
    this.#counted.set(key, counted);
    for (const old of this.#counted.keys()) {
      if (this.#counted.size <= MAX_COUNTED) break;
      this.#counted.delete(old);
    }
    // A failed call is tried again.
    counted.catch(() => this.#counted.delete(key));
    return counted;
  }

  async #count(before: string, after: string): Promise<CountedChange[]> {
    const options = ['-r', '-z', '--raw', '--numstat', '--no-abbrev', '-M', '-l500'];
    const { stdout } = await this.#run(
      ['diff-tree', ...options, '--no-ext-diff', '--no-textconv', before, after],
      { objects: 'all' },
    );
    return parseDiff(splitNul(stdout));
  }

  /** Writes trees that contain only these changes. */
  async pairOf(changes: readonly TreeChange[]): Promise<ChangePair> {
    const sides = (['before', 'after'] as const).map((side) =>
      changes.flatMap(({ path, [side]: blob }) => (blob ? [{ path, ...blob }] : [])),
    );
    const [before = '', after = ''] = await (await this.#writer()).trees(sides);
    return { before, after };
  }

  /** Writes a tree. An entry may be a tree itself. */
  async treeOf(entries: readonly TreeEntry[]): Promise<string> {
    const [id = ''] = await (await this.#writer()).trees([entries]);
    return id;
  }

  /** Points a ref to an object, in one step. */
  async pointRef(name: string, id: string): Promise<void> {
    await this.ready();
    await this.folder.writeRef(name, id);
  }

  /** A tree with these changes taken back. */
  #treeWith(tree: string, changes: readonly TreeChange[]): Promise<string> {
    const none = '0'.repeat(tree.length);
    // Removals first: a file may take the place of a folder.
    const removals = changes.map(({ path }) => `0 ${none}\t${path}\0`);
    const entries = changes.flatMap(({ path, before }) =>
      before ? [`${before.mode} ${before.id}\t${path}\0`] : [],
    );
    return this.#editedTree(tree, [...removals, ...entries]);
  }

  /** Writes the objects of a tree with changes, so that git need not write a file for each of them. Wrong ones are of no use and do no harm. */
  async #writeTrees(tree: string, changes: readonly TreeChange[]): Promise<void> {
    const folders = changedFolders(changes);
    if (folders.some((folder) => folder.includes('\n'))) return;
    // The slash keeps a file in the place of a folder out.
    const names = folders.map((folder) => (folder === '' ? `${tree}:` : `${tree}:${folder}/`));
    const contents = await this.readBlobs(names);
    await (await this.#writer()).editTrees(changes, { folders, contents });
  }

  async #editedTree(tree: string, lines: readonly string[]): Promise<string> {
    const index = join(this.folder.scratch, `${randomUUID()}.index`);
    const env = { GIT_INDEX_FILE: index };
    try {
      await this.#run(['read-tree', tree], { env });
      await this.#run(['update-index', '-z', '--index-info'], { env, input: lines.join('') });
      return await this.#text(['write-tree', '--missing-ok'], { env });
    } finally {
      await rm(index, { force: true });
    }
  }

  /**
   * Copies the content of these changes into the store where only the user's repository has it. Content that is gone there too, because the user
   * has removed or moved the repository, is left out.
   */
  async keep(changes: readonly TreeChange[]): Promise<void> {
    const ids = new Set(
      changes.flatMap(({ before, after }) => [before, after].flatMap((blob) => blob?.id ?? [])),
    );
    for (const id of this.#written) ids.delete(id);
    if (ids.size === 0) return;
    const own = await this.#sizes([...ids], 'own');
    for (const { id, size } of own) if (size !== undefined) this.#note(id);
    const missing = own.filter(({ size }) => size === undefined);
    if (missing.length === 0) return;
    const found = await this.sizes(missing.map(({ id }) => id));
    if (found.size === 0) return;
    await this.#run(['pack-objects', '-q', join(this.folder.path, 'objects', 'pack', 'pack')], {
      objects: 'all',
      input: [...found.keys()].map((id) => `${id}\n`).join(''),
    });
    for (const id of found.keys()) this.#note(id);
  }

  #note(id: string): void {
    if (this.#written.size >= MAX_NOTED) this.#written.clear();
    this.#written.add(id);
  }

  /** Sizes of objects in bytes, by id. Missing objects are left out. */
  async sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.#sizes(ids, 'all');
    return new Map(found.flatMap(({ id, size }) => (size === undefined ? [] : [[id, size] as const])));
  }

  /** As `sizes`, from memory where they were read before. The objects may be gone since. */
  async knownSizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map(
      ids.flatMap((id) => (this.#sizesById.has(id) ? [[id, this.#sizesById.get(id) ?? 0] as const] : [])),
    );
    for (const [id, size] of await this.sizes(ids.filter((each) => !found.has(each)))) found.set(id, size);
    return found;
  }

  async #sizes(
    ids: readonly string[],
    objects: 'own' | 'all',
  ): Promise<{ readonly id: string; readonly size: number | undefined }[]> {
    if (ids.length === 0) return [];
    const text = await this.#text(['cat-file', '--batch-check=%(objectsize)'], {
      objects,
      input: ids.map((id) => `${id}\n`).join(''),
    });
    const lines = text.split('\n');
    if (this.#sizesById.size > MAX_NOTED) this.#sizesById.clear();
    return ids.map((id, index) => {
      const line = lines[index] ?? '';
      const size = /^\d+$/.test(line) ? Number(line) : undefined;
      if (size !== undefined) this.#sizesById.set(id, size);
      return { id, size };
    });
  }

  /** The bytes of a file's version. Rejects with `SnapshotError` when they are gone or larger than `maxBytes`. */
  async read(id: string, maxBytes = 64 * 1024 * 1024): Promise<Buffer> {
    return (await this.#run(['cat-file', 'blob', id], { objects: 'all', maxBytes })).stdout;
  }

  /** The contents of files' versions, in one call. `undefined`: an object is gone. */
  async readBlobs(ids: readonly string[]): Promise<(Buffer | undefined)[]> {
    const input = ids.map((id) => `${id}\n`).join('');
    return parseBatch((await this.#run(['cat-file', '--batch'], { objects: 'all', input })).stdout);
  }

  /** The contents of objects of the store's own, in one call. `undefined`: an object is gone or damaged. */
  async readAll(names: readonly string[]): Promise<(Buffer | undefined)[]> {
    if (names.length === 0) return [];
    const input = names.map((name) => `${name}\n`).join('');
    try {
      return parseBatch((await this.#run(['cat-file', '--batch'], { input })).stdout);
    } catch (error) {
      if (!(error instanceof SnapshotError) || error.code !== 'failed') throw error;
      if (names.length === 1) return [undefined];
    }
    // Git ends at the first damaged object.
    const middle = Math.ceil(names.length / 2);
    return [...(await this.readAll(names.slice(0, middle))), ...(await this.readAll(names.slice(middle)))];
  }

  /** Stores bytes, and resolves with their id. */
  async write(bytes: Buffer): Promise<string> {
    const id = await (await this.#writer()).blob(bytes);
    this.#note(id);
    return id;
  }

  /** The format of the ids of this store. */
  async format(): Promise<'sha1' | 'sha256'> {
    this.#format ??=
      (await this.#text(['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
    return this.#format;
  }

  async #writer(): Promise<ObjectWriter> {
    const objects = join(this.folder.path, 'objects');
    return new ObjectWriter({ objects, scratch: this.folder.scratch, format: await this.format() });
  }

  /** Hunks between two versions of a file, as git prints them without context lines. */
  async hunks(before: string, after: string): Promise<string> {
    const { stdout } = await this.#run(
      ['diff', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', before, after],
      { objects: 'all' },
    );
    return stdout.toString('latin1');
  }

  /**
   * The tree of the user's `HEAD`, and what the user's git calls changed, by path. `undefined` outside of a git repository. Without a commit,
   * the tree is empty.
   */
  async head(
    scope: string,
  ): Promise<{ readonly tree: string; readonly changed: ReadonlyMap<string, StatusEntry> } | undefined> {
    const repository = await findRepository(this.root);
    if (repository === undefined || repository.root !== this.root) return undefined;
    return this.#explained(async () => ({
      tree: (await treeOf(this.#parts.git, repository, 'HEAD')) ?? (await this.treeOf([])),
      changed: new Map(
        (await statusOf(this.#parts.git, repository, [scope])).entries.map((entry) => [entry.path, entry]),
      ),
    }));
  }

  /** The tree of the commit where the user's branch left the default branch. `undefined` if there is none. */
  async branchBase(): Promise<string | undefined> {
    const repository = await findRepository(this.root);
    if (repository === undefined || repository.root !== this.root) return undefined;
    return this.#explained(async () => {
      const base = await mergeBaseOf(this.#parts.git, repository);
      return base === undefined ? undefined : treeOf(this.#parts.git, repository, base);
    });
  }

  /** Runs a call on the records of the store, which have all their objects in it. */
  async call(args: readonly string[], input?: string | Buffer, call: StoreCall = {}): Promise<Buffer> {
    return (await this.#run(args, input === undefined ? call : { ...call, input })).stdout;
  }

  /** Runs `work` while no snapshot is taken. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  /** Makes the store, if it does not exist yet. */
  ready(): Promise<void> {
    this.#preparing ??= this.#prepare().catch((error: unknown) => {
      this.#preparing = undefined;
      throw error;
    });
    return this.#preparing;
  }

  #prepare(): Promise<void> {
    return this.#explained(() =>
      this.folder.prepare(this.root, async () => {
        const repository = await findRepository(this.root);
        return repository === undefined ? 'sha1' : objectFormatOf(this.#parts.git, repository);
      }),
    );
  }

  /** Resolves when everything that was asked for has ended. */
  async settled(): Promise<void> {
    await this.#queue.catch(() => undefined);
  }

  /** Resolves when it is known what changes from now on, or that this cannot be known. */
  async watched(): Promise<void> {
    await this.settled();
    await this.#index.watched();
  }

  /** Whether a snapshot looks only at files that have changed since the one before. */
  get isWatched(): boolean {
    return this.#index.isWatched;
  }

  /** Ends the watches of the tree if it was not used for some time. */
  rest(): void {
    this.#index.rest();
  }

  /** Resolves when everything that was asked for has ended, and nothing is watched any more. */
  async close(): Promise<void> {
    await this.settled();
    await this.#index.close();
  }

  /**
   * Packs the content that the records and the index need, and removes the rest, if the store has many files. The tree of an open turn is
   * no record: do not call it while a turn is open. Content that was written in the last `graceMs` stays. Resolves with whether it did something.
   */
  async compact({
    isForced = false,
    graceMs = GRACE_MS,
  }: {
    readonly isForced?: boolean;
    readonly graceMs?: number;
  } = {}): Promise<boolean> {
    return this.#inTurn(async () => {
      if (!(await exists(join(this.folder.path, 'ready')))) return false;
      await this.ready();
      if (!isForced && !(await isFull(this.folder))) return false;
      this.#written.clear();
      await compactStore(
        {
          folder: this.folder,
          text: (args, call) => this.#text(args, call),
          own: async (ids) =>
            (await this.#sizes(ids, 'own')).flatMap(({ id, size }) => (size === undefined ? [] : [id])),
        },
        Date.now() - graceMs,
      );
      return true;
    });
  }

  async #snapshot(scope: string, lateFrom?: () => number | undefined): Promise<Snapshot> {
    const { now } = this.#parts;
    if (this.#tooLarge !== undefined && now() < this.#tooLarge.until) throw this.#tooLarge.error;
    this.#tooLarge = undefined;
    await this.ready();
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#explained(() => this.#index.record(scope, lateFrom));
      } catch (error) {
        const known = this.#known(error);
        if (known.code === 'tooLarge') this.#tooLarge = { error: known, until: now() + TOO_LARGE_MS };
        if (known.code !== 'failed' || tries === SNAPSHOT_TRIES) throw known;
        // First, files may have changed while they were read. Then, the index may be damaged, or refer to objects that are gone.
        if (tries > 1) await this.#index.drop();
      }
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work, work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #text(args: readonly string[], call: StoreCall = {}): Promise<string> {
    return (await this.#run(args, call)).stdout.toString('utf8').trimEnd();
  }

  /** Runs git on the store. */
  async #run(args: readonly string[], call: StoreCall = {}): Promise<GitOutput> {
    await this.ready();
    const { objects = 'own', isInTree = false, env, ...rest } = call;
    const others = objects === 'all' ? await this.#alternates() : undefined;
    return this.#explained(() =>
      this.#parts.git.run(args, {
        limitMs: LIMIT_MS,
        cwd: isInTree ? this.root : this.folder.path,
        ...rest,
        env: {
          GIT_DIR: this.folder.path,
          ...(isInTree ? { GIT_WORK_TREE: this.root } : {}),
          ...(others === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: others }),
          ...env,
        },
      }),
    );
  }

  /** The folder of the user's objects. Calls that write use only the store's own, so that the store gets what they write. */
  async #alternates(): Promise<string | undefined> {
    const repository = await findRepository(this.root);
    return repository && JSON.stringify(join(repository.commonDir, 'objects'));
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#known(error);
    }
  }

  #known(error: unknown): SnapshotError {
    if (error instanceof SnapshotError) return error;
    if (!(error instanceof GitError)) return new SnapshotError('failed', errorText(error), { cause: error });
    const code = error.code === 'late' ? 'tooLarge' : error.code;
    return new SnapshotError(code, error.message, { cause: error });
  }
}
