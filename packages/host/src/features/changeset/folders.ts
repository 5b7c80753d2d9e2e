import { errorCode } from '@agenthost/protocol/values';
import { ChangeRecords } from '../../workspace/snapshots/records.ts';
import type { StoredFolder, TreeStores } from '../../workspace/snapshots/stores.ts';
import type { TreeStore } from '../../workspace/snapshots/tree-store.ts';

/** A folder with its store and the records in it. */
export interface RecordedFolder extends StoredFolder {
  readonly records: ChangeRecords;
}

/** The folders of chats, with one `ChangeRecords` for each store. */
export class Folders {
  readonly stores: TreeStores;
  readonly #records = new Map<TreeStore, ChangeRecords>();

  constructor(stores: TreeStores) {
    this.stores = stores;
  }

  /** The folders that exist. A folder within another one of the same working tree is left out. */
  async of(paths: readonly string[]): Promise<RecordedFolder[]> {
    const found: RecordedFolder[] = [];
    for (const path of paths) {
      const folder = await this.#at(path);
      if (folder === undefined || found.some((other) => contains(other, folder))) continue;
      found.splice(0, found.length, ...found.filter((other) => !contains(folder, other)), folder);
    }
    return found;
  }

  /** The whole working tree of each store. */
  async all(): Promise<RecordedFolder[]> {
    return (await this.stores.all()).map((store) => ({ store, scope: '', records: this.recordsOf(store) }));
  }

  recordsOf(store: TreeStore): ChangeRecords {
    let records = this.#records.get(store);
    if (records === undefined) {
      records = new ChangeRecords(store);
      this.#records.set(store, records);
    }
    return records;
  }

  async #at(path: string): Promise<RecordedFolder | undefined> {
    try {
      const folder = await this.stores.of(path);
      return { ...folder, records: this.recordsOf(folder.store) };
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }
}

const contains = (a: StoredFolder, b: StoredFolder): boolean =>
  a.store === b.store && (a.scope === '' || a.scope === b.scope || b.scope.startsWith(`${a.scope}/`));
