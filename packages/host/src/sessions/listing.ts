import type { Tx } from '../sync/tx.ts';

/** Called when a session is added to the catalogue (1) or taken out of it (-1), in the transaction that does so. */
export type ListingListener = (tx: Tx, uri: string, by: 1 | -1) => void;

/** Tells parts of the host which sessions come and go. */
export class SessionListing {
  readonly #listeners: ListingListener[] = [];

  onChange(listener: ListingListener): void {
    this.#listeners.push(listener);
  }

  changed(tx: Tx, uri: string, by: 1 | -1): void {
    for (const listener of this.#listeners) listener(tx, uri, by);
  }
}
