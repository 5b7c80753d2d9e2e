import type { SessionSummary, URI } from '@agenthost/protocol';
import { storageName } from '../live/storage-name.ts';

/** A channel's state as it was last seen. */
export interface SavedChannel {
  readonly uri: URI;
  readonly state: object;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

/** What the page keeps of one host. */
export interface SavedHost {
  readonly sessions: readonly SessionSummary[];
  readonly savedAt: number;
}

const CHANNELS = 'channels';
const HOSTS = 'hosts';

/** Channels kept for one host. Beyond it, those saved longest ago are deleted. */
const MAX_CHANNELS = 60;

/** The last states of a host, in this browser's IndexedDB. */
export class SavedStates {
  readonly #hostId: string;

  constructor(hostId: string) {
    this.#hostId = hostId;
  }

  /** The state of a channel. Resolves with `undefined` when none was saved. */
  async channel(uri: URI): Promise<SavedChannel | undefined> {
    return this.#read(CHANNELS, this.#key(uri));
  }

  /** The list of sessions. Resolves with `undefined` when none was saved. */
  async host(): Promise<SavedHost | undefined> {
    return this.#read(HOSTS, this.#hostId);
  }

  /** Saves the list of sessions and some channels, in one transaction. */
  async save(host: SavedHost | undefined, channels: readonly SavedChannel[]): Promise<void> {
    const database = await open();
    const transaction = database.transaction([CHANNELS, HOSTS], 'readwrite');
    if (host !== undefined) transaction.objectStore(HOSTS).put(host, this.#hostId);
    for (const channel of channels) transaction.objectStore(CHANNELS).put(channel, this.#key(channel.uri));
    await done(transaction);
    await this.#trim(database);
  }

  /** Deletes everything of this host. */
  async clear(): Promise<void> {
    const database = await open();
    const transaction = database.transaction([CHANNELS, HOSTS], 'readwrite');
    transaction.objectStore(HOSTS).delete(this.#hostId);
    transaction.objectStore(CHANNELS).delete(this.#range());
    await done(transaction);
  }

  async #trim(database: IDBDatabase): Promise<void> {
    const store = database.transaction(CHANNELS, 'readwrite').objectStore(CHANNELS);
    const [keys, values] = await Promise.all([
      result(store.getAllKeys(this.#range())),
      result<SavedChannel[]>(store.getAll(this.#range())),
    ]);
    const old = keys
      .map((key, index) => ({ key, savedAt: values[index]?.savedAt ?? 0 }))
      .sort((a, b) => b.savedAt - a.savedAt)
      .slice(MAX_CHANNELS);
    for (const { key } of old) store.delete(key);
  }

  async #read<T>(store: string, key: string): Promise<T | undefined> {
    const database = await open();
    return result<T | undefined>(database.transaction(store).objectStore(store).get(key));
  }

  #key(uri: URI): string {
    return `${this.#hostId} ${uri}`;
  }

  #range(): IDBKeyRange {
    return IDBKeyRange.bound(`${this.#hostId} `, `${this.#hostId}!`, false, true);
  }
}

/** Deletes the states of all hosts. Rejects when the browser has no IndexedDB. */
export async function clearSavedStates(): Promise<void> {
  const database = await open();
  const transaction = database.transaction([CHANNELS, HOSTS], 'readwrite');
  transaction.objectStore(HOSTS).clear();
  transaction.objectStore(CHANNELS).clear();
  await done(transaction);
}

let opening: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(storageName('states'), 1);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(CHANNELS);
      request.result.createObjectStore(HOSTS);
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(asError(request.error)));
  });
  return opening;
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(asError(request.error)));
  });
}

function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('error', () => reject(asError(transaction.error)));
    transaction.addEventListener('abort', () => reject(asError(transaction.error)));
  });
}

const asError = (error: DOMException | null): Error => error ?? new Error('IndexedDB failed');
