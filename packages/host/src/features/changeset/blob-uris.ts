import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sync } from '../../sync/sync.ts';
import { CONTENT_SCHEME } from '../../turns/contents/content-store.ts';
import { MAX_ANSWER_BYTES } from '../../workspace/resources.ts';
import type { TreeStores } from '../../workspace/snapshots/stores.ts';

const KEY = 'changesets/contentKey';
const PREFIX = 'blob.';

/**
 * URIs of file versions in stores. Each carries a code that only this host can make, so that clients can read exactly the versions that a
 * changeset has shown, also after a restart of the host.
 */
export class BlobUris {
  readonly #key: Buffer;
  readonly #stores: TreeStores;

  private constructor(key: Buffer, stores: TreeStores) {
    this.#key = key;
    this.#stores = stores;
  }

  /** Reads the secret of this host, or makes it at the first start. */
  static async load(sync: Sync, stores: TreeStores): Promise<BlobUris> {
    const stored = await sync.journal.readMeta(KEY);
    const key = stored ?? randomBytes(32).toString('hex');
    if (stored === undefined) await sync.commitRows([{ op: 'meta', key: KEY, value: key }]);
    return new BlobUris(Buffer.from(key, 'hex'), stores);
  }

  /** The URI of a version. `name`: the last segment of the file's URI, by which editors choose a language. */
  uriOf(store: string, id: string, name: string): string {
    return `${CONTENT_SCHEME}:/${PREFIX}${store}.${id}.${this.#codeOf(store, id)}/${name}`;
  }

  /**
   * The bytes behind the id in a content URI. `undefined` if this host has shown no such version, or has it no longer. `tooLarge`: they do not
   * fit into an answer.
   */
  async read(contentId: string): Promise<Buffer | 'tooLarge' | undefined> {
    const [, store, id, code] =
      /^blob\.([0-9a-f]{24})\.([0-9a-f]{40,64})\.([0-9a-f]{32})$/.exec(contentId) ?? [];
    if (store === undefined || id === undefined || code === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(code), Buffer.from(this.#codeOf(store, id)))) return undefined;
    const found = await this.#stores.byId(store);
    const size = (await found?.sizes([id]))?.get(id);
    if (found === undefined || size === undefined) return undefined;
    return size > MAX_ANSWER_BYTES ? 'tooLarge' : found.read(id, MAX_ANSWER_BYTES);
  }

  #codeOf(store: string, id: string): string {
    return createHmac('sha256', this.#key).update(`${store}.${id}`).digest('hex').slice(0, 32);
  }
}
