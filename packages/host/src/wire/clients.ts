import {
  PROTOCOL_VERSION,
  SUPPORTED_VERSIONS,
  type SubscribeView,
  type SubscriptionDeliveryOptions,
  type SupportedVersion,
} from '@agenthost/protocol';
import type { StoredClient } from '../journal/journal.ts';
import type { Sync } from '../sync/sync.ts';

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
export interface ClientRecord {
  readonly id: string;
  tokenHash: string;
  version: SupportedVersion;
  epoch: string | undefined;
  lastClientSeq: number;
  /** Highest `clientSeq` processed by epochs before this one, the latest last: two lives may share an id, and either come back. */
  past: Map<string, number>;
  /** BCP 47; `undefined`: it has said none [CHAT-19]. */
  locale: string | undefined;
  subscriptions: Map<string, RememberedSubscription>;
}

/** The remembered clients: rows of the journal, in memory while they are connected. */
export class Clients {
  readonly #sync: Sync;
  readonly #records = new Map<string, ClientRecord>();
  readonly #dirty = new Set<ClientRecord>();

  constructor(sync: Sync) {
    this.#sync = sync;
    sync.path.onSeal(() => this.#writeDirty());
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

  /** Keeps a record in memory, new or found. */
  hold(record: ClientRecord): void {
    this.#records.set(record.id, record);
  }

  /** Its connection has ended. It stays until the journal holds all that is known of it; `isBack` then tells to keep it. */
  letGo(record: ClientRecord, isBack: () => boolean): void {
    const forget = (): void => {
      // What waits for the journal to recover changes this very record.
      if (isBack() || !this.#sync.path.isHealthy || this.#records.get(record.id) !== record) return;
      this.#records.delete(record.id);
    };
    this.#sync.path.publish(forget, forget);
  }

  /**
   * Changes a record for good: it says what a client has been sent, and that is not taken back when a commit fails.
   * Resolves when it is durable, or cannot be made so at the moment; then it is written as soon as that can be done.
   */
  note(record: ClientRecord, change: (record: ClientRecord) => void): Promise<void> {
    change(record);
    const { path } = this.#sync;
    return new Promise((resolve) => {
      if (!path.isHealthy) resolve();
      path.transact('host', () => {
        this.#dirty.add(record);
        path.publish(resolve, resolve);
      });
    });
  }

  /** Clients in memory that came by this token are nobody's from now on; those on disk are the journal's to let go. */
  release(tokenHash: string): void {
    for (const record of this.#records.values()) if (record.tokenHash === tokenHash) record.tokenHash = '';
  }

  /** Journals that those who are connected are there; resolves as `note` does. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#records.values()].map((record) => this.note(record, () => undefined)));
  }

  /** A dispatch with this number is processed in the present tick; taken back when its commit fails. Inside `path.transact` only. */
  processed(record: ClientRecord, clientSeq: number): void {
    const { epoch, lastClientSeq } = record;
    record.lastClientSeq = Math.max(lastClientSeq, clientSeq);
    this.#dirty.add(record);
    this.#sync.path.undo(() => {
      // Not when it has begun to count anew since.
      if (record.epoch === epoch) record.lastClientSeq = lastClientSeq;
    });
  }

  #writeDirty(): void {
    for (const record of this.#dirty) {
      this.#sync.path.write({
        op: 'client',
        id: record.id,
        tokenHash: record.tokenHash,
        version: record.version,
        ...(record.epoch === undefined ? {} : { epoch: record.epoch }),
        lastClientSeq: record.lastClientSeq,
        subscriptions: JSON.stringify([...record.subscriptions]),
        seenAt: this.#sync.stamp(),
        ...(record.locale === undefined ? {} : { locale: record.locale }),
        ...(record.past.size === 0 ? {} : { pastEpochs: JSON.stringify([...record.past]) }),
      });
    }
    this.#dirty.clear();
  }
}

function fromRow(row: StoredClient): ClientRecord {
  // As `#writeDirty` wrote it.
  const subscriptions: [string, RememberedSubscription][] = JSON.parse(row.subscriptions);
  const past: [string, number][] = JSON.parse(row.pastEpochs ?? '[]');
  return {
    id: row.id,
    tokenHash: row.tokenHash,
    version: SUPPORTED_VERSIONS.find((version) => version === row.version) ?? PROTOCOL_VERSION,
    epoch: row.epoch,
    lastClientSeq: row.lastClientSeq,
    past: new Map(past),
    locale: row.locale,
    subscriptions: new Map(subscriptions),
  };
}
