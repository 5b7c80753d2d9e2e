import { SnapshotError } from './snapshot-error.ts';
import type { TreeStore } from './tree-store.ts';

/** Contents that are in memory at the same time, in bytes; one larger content is read alone. */
const LIMIT_BYTES = 32 * 1024 * 1024;

/** Reads many contents of a store in few calls of git. Ask for them in the order of the list: only a part of them is in memory. */
export class BlobReader {
  readonly #store: TreeStore;
  readonly #ids: readonly string[];
  #sizes: ReadonlyMap<string, number> | undefined;
  #read = new Map<string, Buffer>();

  constructor(store: TreeStore, ids: Iterable<string>) {
    this.#store = store;
    this.#ids = [...new Set(ids)];
  }

  /** The content of an object. Rejects with `SnapshotError` when it is gone. */
  async read(id: string): Promise<Buffer> {
    const present = this.#read.get(id);
    if (present !== undefined) return present;
    const ids = await this.#from(id);
    const contents = await this.#store.readBlobs(ids);
    this.#read = new Map();
    for (const [index, bytes] of contents.entries())
      if (bytes !== undefined) this.#read.set(ids[index] ?? '', bytes);
    const bytes = this.#read.get(id);
    if (bytes === undefined) throw new SnapshotError('failed', `the content ${id} is gone`);
    return bytes;
  }

  /** An object with those after it in the list, up to the limit. */
  async #from(id: string): Promise<string[]> {
    this.#sizes ??= await this.#store.sizes(this.#ids);
    const found = [id];
    const start = this.#ids.indexOf(id);
    let bytes = this.#sizes.get(id) ?? 0;
    for (const next of start < 0 ? [] : this.#ids.slice(start + 1)) {
      bytes += this.#sizes.get(next) ?? 0;
      if (bytes > LIMIT_BYTES) break;
      found.push(next);
    }
    return found;
  }
}
