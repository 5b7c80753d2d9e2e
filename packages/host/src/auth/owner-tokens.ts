import type { Sync } from '../sync/sync.ts';

const KEY = 'ownerTokens';

/** Hashes, as journaled. */
interface Stored {
  readonly present: string;
  readonly replaced: readonly string[];
}

/** Which owner tokens a host has had: client ids of one that was replaced are free again [AUTH-1]. */
export class OwnerTokens {
  readonly #sync: Sync;
  #stored: Stored | undefined;

  private constructor(stored: Stored | undefined, sync: Sync) {
    this.#stored = stored;
    this.#sync = sync;
  }

  static async load(sync: Sync): Promise<OwnerTokens> {
    const text = await sync.journal.readMeta(KEY);
    // Written by `use`, below.
    const stored: Stored | undefined = text === undefined ? undefined : JSON.parse(text);
    return new OwnerTokens(stored, sync);
  }

  /** Whether the token with this hash is the owner's. */
  isPresent(hash: string): boolean {
    return this.#stored?.present === hash;
  }

  /** Whether the token with this hash was the owner's and no longer is. */
  isReplaced(hash: string): boolean {
    return this.#stored?.replaced.includes(hash) === true;
  }

  /** The owner's token has this hash from now on; resolves when that is durable. */
  async use(hash: string): Promise<void> {
    if (this.#stored?.present === hash) return;
    const earlier = this.#stored === undefined ? [] : [...this.#stored.replaced, this.#stored.present];
    this.#stored = { present: hash, replaced: earlier.filter((other) => other !== hash) };
    await this.#sync.commitRows([{ op: 'meta', key: KEY, value: JSON.stringify(this.#stored) }]);
  }
}
