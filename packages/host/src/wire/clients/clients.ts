import {
  PROTOCOL_VERSION,
  SUPPORTED_VERSIONS,
  type SubscribeView,
  type SubscriptionDeliveryOptions,
  type SupportedVersion,
} from '@agenthost/protocol';
import type { ListedClient, StoredClient } from '../../journal/journal.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { AwayClients } from './away-clients.ts';
import { type Epochs, NONE_PROCESSED, rememberEpoch } from './epochs.ts';

/** A subscription as it outlives its connection. */
export interface RememberedSubscription {
  readonly view?: SubscribeView;
  readonly delivery?: SubscriptionDeliveryOptions;
  /** The number it holds from. */
  readonly since: number;
  /** Chats: ordinal of the oldest turn that the client holds. */
  readonly fromOrdinal: number;
}

/** What the host remembers of a client over reconnects and restarts. Change it by `Clients` only. */
export interface ClientRecord extends Epochs {
  readonly id: string;
  tokenHash: string;
  version: SupportedVersion;
  /** BCP 47; `undefined`: it has said none [CHAT-19]. */
  locale: string | undefined;
  subscriptions: Map<string, RememberedSubscription>;
}

/** What a row has of subscriptions, as JSON. */
type StoredSubscriptions = readonly (readonly [string, RememberedSubscription])[];

/** The remembered clients: rows of the journal, in memory while they are connected. */
export class Clients {
  readonly #sync: Sync;
  readonly #records = new Map<string, ClientRecord>();
  readonly #dirty = new Set<ClientRecord>();
  readonly #away: AwayClients;
  /** Ids of those that were here before the journal's were adopted. */
  #early: Set<string> | undefined = new Set();

  /** `mostAway`: clients of a token that are remembered while they are away, if they can be forgotten. */
  constructor(sync: Sync, mostAway: () => number) {
    this.#sync = sync;
    this.#away = new AwayClients(mostAway);
    sync.path.onSeal((tx) => this.#writeDirty(tx));
  }

  /** The record of a client that was here before, or `undefined`. */
  async find(id: string): Promise<ClientRecord | undefined> {
    const present = this.#records.get(id);
    if (present !== undefined) return present;
    const row = await this.#sync.journal.readClient(id);
    return this.#records.get(id) ?? (row === undefined ? undefined : fromRow(row));
  }

  /** The record of a client that is connected now. */
  present(id: string): ClientRecord | undefined {
    return this.#records.get(id);
  }

  /**
   * Binds a client id to a token, because something is now held under it. Does nothing if the id belongs to a valid token or is connected.
   *
   */
  bind(
    tx: Tx,
    found: ClientRecord,
    tokenHash: string,
    { isFree, isBack }: { isFree(tokenHash: string): boolean; isBack(): boolean },
  ): void {
    const record = this.#records.get(found.id) ?? found;
    const before = record.tokenHash;
    if (isBack() || !isFree(before)) return;
    record.tokenHash = tokenHash;
    this.#dirty.add(record);
    tx.undo(() => {
      record.tokenHash = before;
    });
    this.hold(record);
    this.letGo(record, isBack);
  }

  /** Keeps a record in memory, new or found. */
  hold(record: ClientRecord): void {
    this.#records.set(record.id, record);
    this.#early?.add(record.id);
    this.#away.remove(record.id);
  }

  /** Its connection has ended. It stays until the journal holds all that is known of it; `isBack` then tells to keep it. */
  letGo(record: ClientRecord, isBack: () => boolean): void {
    const forget = (): void => {
      // What waits for the journal to recover changes this very record.
      if (isBack() || !this.#sync.path.isHealthy || this.#records.get(record.id) !== record) return;
      this.#records.delete(record.id);
      if (!mayForget(record)) return;
      const { id, tokenHash } = record;
      this.#drop(this.#away.add({ id, tokenHash, bytes: Buffer.byteLength(storedSubscriptions(record)) }));
    };
    this.#sync.path.send(forget, forget);
  }

  /** Takes over the rows of earlier lives of this host, see `Maintenance`. */
  adopt(found: readonly ListedClient[]): readonly string[] {
    const early = this.#early;
    this.#early = undefined;
    return this.#away.adopt(found.filter(({ id }) => early?.has(id) === false));
  }

  /** These rows are gone. */
  forgotten(ids: readonly string[]): void {
    for (const id of ids) this.#away.remove(id);
  }

  #drop(ids: readonly string[]): void {
    const { path } = this.#sync;
    if (ids.length === 0) return;
    path.transact('host', (tx) => {
      for (const id of ids) if (!this.#records.has(id)) tx.write({ op: 'dropClient', id });
    });
  }

  /**
   * Changes a record for good: it says what a client has been sent, and that is not taken back when a commit fails.
   * Resolves with true when it is durable, and with false when it cannot be made so at the moment; then it is written as soon as that
   * can be done.
   */
  note(record: ClientRecord, change: (record: ClientRecord) => void): Promise<boolean> {
    change(record);
    return this.#sync.attempt(() => {
      this.#dirty.add(record);
    });
  }

  /**
   * Notes that a client's window of a channel is another one now; nothing where none was noted yet. Returns how to take it back where the
   * commit fails.
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

  /** Clients in memory that came by this token are nobody's from now on; those on disk are the journal's to let go. */
  release(tokenHash: string): void {
    for (const record of this.#records.values()) if (record.tokenHash === tokenHash) record.tokenHash = '';
  }

  /** Journals that those who are connected are there; resolves when `note` does. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#records.values()].map((record) => this.note(record, () => undefined)));
  }

  /** A dispatch with this number is processed in the present tick; taken back when its commit fails. */
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

  #writeDirty(tx: Tx): void {
    for (const record of this.#dirty) {
      const past = pastThatActed(record);
      tx.write({
        op: 'client',
        id: record.id,
        tokenHash: record.tokenHash,
        version: record.version,
        ...(record.epoch === undefined ? {} : { epoch: record.epoch }),
        lastClientSeq: record.lastClientSeq,
        subscriptions: storedSubscriptions(record),
        seenAt: this.#sync.stamp(),
        ...(record.locale === undefined ? {} : { locale: record.locale }),
        ...(past.length === 0 ? {} : { pastEpochs: JSON.stringify(past) }),
      });
    }
    this.#dirty.clear();
  }
}

function storedSubscriptions({ subscriptions }: ClientRecord): string {
  const stored: StoredSubscriptions = [...subscriptions];
  return JSON.stringify(stored);
}

/** A client with a processed action must stay known while it may resend that action [ACT-5]. */
const mayForget = (record: ClientRecord): boolean =>
  record.lastClientSeq === NONE_PROCESSED && pastThatActed(record).length === 0;

/** Epochs in which nothing was processed need not be known again. */
const pastThatActed = ({ past }: ClientRecord): [string, number][] =>
  [...past].filter(([, last]) => last > NONE_PROCESSED);

/** A client that has not been here before. */
export const newClient = (id: string, tokenHash: string, version: SupportedVersion): ClientRecord => ({
  id,
  tokenHash,
  version,
  epoch: undefined,
  lastClientSeq: NONE_PROCESSED,
  past: new Map(),
  locale: undefined,
  subscriptions: new Map(),
});

function fromRow(row: StoredClient): ClientRecord {
  // As `#writeDirty` wrote it.
  const stored: StoredSubscriptions | { held: StoredSubscriptions } = JSON.parse(row.subscriptions);
  // An older host wrote an object.
  const held = 'held' in stored ? stored.held : stored;
  const past: [string, number][] = JSON.parse(row.pastEpochs ?? '[]');
  return {
    id: row.id,
    tokenHash: row.tokenHash,
    version: SUPPORTED_VERSIONS.find((version) => version === row.version) ?? PROTOCOL_VERSION,
    epoch: row.epoch,
    lastClientSeq: row.lastClientSeq,
    past: new Map(past),
    locale: row.locale,
    subscriptions: new Map(held),
  };
}
