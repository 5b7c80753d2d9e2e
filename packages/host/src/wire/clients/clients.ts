import { PROTOCOL_VERSION } from '@agenthost/protocol';
import type { ListedClient } from '../../journal/rows.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { ClientConnection, ClientLives } from './client-lives.ts';
import {
  type ClientRecord,
  fromRow,
  mayForget,
  newClient,
  type RememberedSubscription,
  storedSubscriptions,
  toRow,
} from './client-record.ts';
import { rememberEpoch } from './epochs.ts';
import { ForgettableClients } from './forgettable-clients.ts';

/** Binds client ids to tokens [AUTH-1]. */
export interface ClientIds {
  /** Whether a connection uses this id. The id then belongs to the token of the connection. */
  isConnected(clientId: string): boolean;
  /** Finds the token that an id belongs to. */
  lookUp(clientId: string): Promise<ClientBinding>;
}

/** An id that was looked up. */
export interface ClientBinding {
  /** Binds the id to a token when a terminal is handed over to the client. Does nothing if the id belongs to a valid token or is connected. */
  bindTo(tx: Tx, tokenHash: string): void;
}

/**
 * The records of clients: rows of the journal. A record is in memory while its client is connected, and until the journal holds its last
 * change.
 */
export class Clients<C extends ClientConnection> implements ClientIds {
  readonly #sync: Sync;
  readonly #lives: ClientLives<C>;
  readonly #isReplaced: (tokenHash: string) => boolean;
  readonly #records = new Map<string, ClientRecord>();
  readonly #dirty = new Set<ClientRecord>();
  readonly #forgettable: ForgettableClients;
  /** Ids that were used before `adopt`. */
  #early: Set<string> | undefined = new Set();

  constructor(parts: {
    sync: Sync;
    lives: ClientLives<C>;
    /** Whether a token has ended, so that other tokens may take over its client ids. */
    isReplaced(tokenHash: string): boolean;
    /** Limit of the disconnected clients per token that are remembered without a processed action. */
    maxForgettable(): number;
  }) {
    this.#sync = parts.sync;
    this.#lives = parts.lives;
    this.#isReplaced = (tokenHash) => parts.isReplaced(tokenHash);
    this.#forgettable = new ForgettableClients(() => parts.maxForgettable());
    parts.sync.path.onSeal((tx) => this.#writeDirty(tx));
  }

  /** Returns the record of a client, from memory or the journal, or `undefined` if there is none. */
  async find(id: string): Promise<ClientRecord | undefined> {
    const inMemory = this.#records.get(id);
    if (inMemory !== undefined) return inMemory;
    const row = await this.#sync.journal.readClient(id);
    return this.#records.get(id) ?? (row === undefined ? undefined : fromRow(row));
  }

  /** Returns the record of a client if it is in memory. */
  inMemory(id: string): ClientRecord | undefined {
    return this.#records.get(id);
  }

  isConnected(clientId: string): boolean {
    return this.#lives.connectionOf(clientId) !== undefined;
  }

  async lookUp(clientId: string): Promise<ClientBinding> {
    const found = (await this.find(clientId)) ?? newClient(clientId, '', PROTOCOL_VERSION);
    return { bindTo: (tx, tokenHash) => this.#bind(tx, found, tokenHash) };
  }

  /** Makes a connection the current connection of a client. Returns the older connection that was replaced [CONN-3]. */
  connect(record: ClientRecord, connection: C): C | undefined {
    const replaced = this.#lives.connect(record.id, connection);
    this.#hold(record);
    return replaced;
  }

  /** Call it when the connection of a client has closed. */
  disconnect(record: ClientRecord, connection: C): void {
    if (!this.#lives.disconnect(record.id, connection)) return;
    // The row says when the client was seen last.
    void this.note(record, () => undefined);
    this.#releaseOnceWritten(record);
  }

  /** Takes over the rows of earlier runs of this host, see `Maintenance`. Returns the clients to forget. */
  adopt(found: readonly ListedClient[]): readonly string[] {
    const early = this.#early;
    this.#early = undefined;
    return this.#forgettable.adopt(found.filter(({ id }) => early?.has(id) === false));
  }

  /** Call it when the rows of these clients were deleted. */
  forgotten(ids: readonly string[]): void {
    for (const id of ids) this.#forgettable.remove(id);
  }

  /**
   * Changes a record permanently: a failed commit does not undo the change, because the record tells what the client has been sent. Resolves with true
   * when the change is durable, and with false if the journal cannot be written now. In that case the change is written later.
   */
  note(record: ClientRecord, change: (record: ClientRecord) => void): Promise<boolean> {
    change(record);
    return this.#sync.attempt(() => {
      this.#dirty.add(record);
    });
  }

  /**
   * Notes the new window of a client for a channel, if one was noted before. Returns a function that takes the change back when the commit
   * fails.
   */
  keepWindow(record: ClientRecord, uri: string, window: RememberedSubscription): () => void {
    const { subscriptions } = record;
    const before = subscriptions.get(uri);
    if (before === undefined) return () => undefined;
    subscriptions.set(uri, window);
    this.#sync.transact('host', () => {
      this.#dirty.add(record);
    });
    return () => {
      if (record.subscriptions.get(uri) === window) record.subscriptions.set(uri, before);
    };
  }

  /** Unbinds the ids of a revoked token in memory. The journal unbinds those in rows. */
  release(tokenHash: string): void {
    for (const record of this.#records.values()) if (record.tokenHash === tokenHash) record.tokenHash = '';
  }

  /** Journals that the records in memory are in use. Resolves as `note` does. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#records.values()].map((record) => this.note(record, () => undefined)));
  }

  /** Notes that a dispatch was processed. A failed commit undoes the note. */
  processed(tx: Tx, record: ClientRecord, clientSeq: number): void {
    const { epoch, lastClientSeq } = record;
    record.lastClientSeq = Math.max(lastClientSeq, clientSeq);
    this.#dirty.add(record);
    tx.undo(() => {
      if (record.epoch === epoch) record.lastClientSeq = lastClientSeq;
      // Another epoch has begun since.
      else if (epoch !== undefined) rememberEpoch(record, epoch, lastClientSeq);
    });
  }

  #bind(tx: Tx, found: ClientRecord, tokenHash: string): void {
    const record = this.#records.get(found.id) ?? found;
    const before = record.tokenHash;
    if (this.isConnected(record.id) || !this.#isReplaced(before)) return;
    record.tokenHash = tokenHash;
    this.#dirty.add(record);
    tx.undo(() => {
      record.tokenHash = before;
    });
    this.#hold(record);
    this.#releaseOnceWritten(record);
  }

  #hold(record: ClientRecord): void {
    this.#records.set(record.id, record);
    this.#early?.add(record.id);
    this.#forgettable.remove(record.id);
  }

  #releaseOnceWritten(record: ClientRecord): void {
    const release = (): void => {
      const { id, tokenHash } = record;
      // Changes that wait for the journal belong to this very object.
      if (this.isConnected(id) || !this.#sync.path.isHealthy || this.#records.get(id) !== record) return;
      this.#records.delete(id);
      if (!mayForget(record)) return;
      this.#drop(
        this.#forgettable.add({ id, tokenHash, bytes: Buffer.byteLength(storedSubscriptions(record)) }),
      );
    };
    this.#sync.path.send(release, release);
  }

  #drop(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#sync.transact('host', (tx) => {
      for (const id of ids) if (!this.#records.has(id)) tx.write({ op: 'dropClient', id });
    });
  }

  #writeDirty(tx: Tx): void {
    for (const record of this.#dirty) tx.write(toRow(record, this.#sync.stamp()));
    this.#dirty.clear();
  }
}
