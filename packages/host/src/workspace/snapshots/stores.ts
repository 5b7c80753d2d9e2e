import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { Git } from '../git/git.ts';
import { findRepository } from '../git/repository.ts';
import { isLeftOut } from '../git/tracking-repository.ts';
import type { SnapshotLimits } from './listing.ts';
import { storeIdOf } from './store-folder.ts';
import { type StoreParts, TreeStore } from './tree-store.ts';

const LIMITS: SnapshotLimits = {
  maxFiles: 20_000,
  maxBytes: 512 * 1024 * 1024,
  maxFileBytes: 10 * 1024 * 1024,
};

/** Whether a repository ignores a folder is looked up again after this time. */
const RULES_MS = 30_000;

/** A folder, as a part of the working tree whose store has its snapshots. */
export interface StoredFolder {
  readonly store: TreeStore;
  /** The folder relative to the root of the working tree, with `/`; '' for the root. */
  readonly scope: string;
}

/** The stores of a host, one for each working tree, in `trees/` of the data folder. */
export class TreeStores {
  readonly #folder: string;
  readonly #parts: StoreParts;
  readonly #stores = new Map<string, TreeStore>();
  /** Whether folders are left out of their repositories, by both paths. */
  readonly #leftOut = new Map<string, { readonly at: number; readonly is: Promise<boolean> }>();

  constructor(
    folder: string,
    parts: { readonly git: Git; readonly limits?: Partial<SnapshotLimits> } & Pick<
      StoreParts,
      'now' | 'isPrivate'
    >,
  ) {
    this.#folder = folder;
    this.#parts = { ...parts, limits: { ...LIMITS, ...parts.limits } };
  }

  /**
   * The store for a folder: of the git repository that contains it and does not ignore it, else of the folder alone. Rejects if the folder
   * does not exist.
   */
  async of(folder: string): Promise<StoredFolder> {
    const real = await realpath(folder);
    const root = await this.#rootOf(real);
    return { store: this.#store(storeIdOf(root), root), scope: relative(root, real).split(sep).join('/') };
  }

  /** A store by its id. `undefined` if this host has made no such store. */
  async byId(id: string): Promise<TreeStore | undefined> {
    const present = this.#stores.get(id);
    if (present !== undefined) return present;
    if (!/^[0-9a-f]{24}$/.test(id)) return undefined;
    const root = await textOf(join(this.#folder, id, 'root'));
    return root === undefined ? undefined : this.#store(id, root.replace(/\n$/, ''));
  }

  /** All stores, those of earlier hosts too. */
  async all(): Promise<TreeStore[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      return [];
    });
    const stores = await Promise.all(names.map((name) => this.byId(name)));
    return stores.filter((store) => store !== undefined);
  }

  /** Resolves when no store works any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.settled()));
  }

  /** Ends the watches of trees that are not used. */
  rest(): void {
    for (const store of this.#stores.values()) store.rest();
  }

  /** Resolves when no store works any more, and no tree is watched. */
  async close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
  }

  /** The root of the working tree that a real folder is recorded with. */
  async #rootOf(folder: string): Promise<string> {
    const repository = await findRepository(folder);
    if (repository === undefined || repository.root === folder) return folder;
    const [key, now] = [`${repository.root}\0${folder}`, this.#parts.now()];
    let known = this.#leftOut.get(key);
    if (known === undefined || now - known.at >= RULES_MS) {
      known = { at: now, is: isLeftOut(this.#parts.git, repository, folder) };
      this.#leftOut.set(key, known);
    }
    return (await known.is) ? folder : repository.root;
  }

  #store(id: string, root: string): TreeStore {
    let store = this.#stores.get(id);
    if (store === undefined) {
      store = new TreeStore(this.#parts, { id, root, path: join(this.#folder, id) });
      this.#stores.set(id, store);
    }
    return store;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
