import type {
  PushDevice,
  PushEvents,
  PushFailure,
  PushSubscriptionInfo,
  QuietHours,
  TokenScope,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** Most devices of a host. */
export const MAX_DEVICES = 64;
/** Most devices of people who see only shared sessions. They leave room for the devices of others. */
export const MAX_GUEST_DEVICES = 32;
/** Most devices of one token. */
export const MAX_DEVICES_PER_TOKEN = 16;

/** Key of the journaled number of slots that were ever used. A slot holds one device. */
const SLOTS_KEY = 'pushSlots';
const slotKey = (slot: number): string => `pushSlot/${slot}`;

/** A registered device, as journaled. Times are ms since the epoch. */
export interface StoredDevice {
  readonly id: string;
  /** Hash of the token that it belongs to. */
  readonly tokenHash: string;
  /** Scope of that token, which never changes. */
  readonly scope: TokenScope;
  /** Whether the token was created by `x-createToken`. */
  readonly isGiven: boolean;
  readonly subscription: PushSubscriptionInfo;
  readonly device: string;
  readonly locale?: string;
  readonly createdAt: number;
  readonly quietHours?: QuietHours;
  readonly mutedSessions: readonly string[];
  readonly events: PushEvents;
  readonly lastSentAt?: number;
  readonly lastFailure?: PushFailure;
}

/** The devices that get pushes. Each is a row of its own, since most changes concern one. */
export class PushDevices {
  readonly #slots: (StoredDevice | undefined)[];
  #slotCount: number;

  private constructor(slots: (StoredDevice | undefined)[]) {
    this.#slots = slots;
    this.#slotCount = slots.length;
  }

  static async load({ journal }: Sync): Promise<PushDevices> {
    const count = Number((await journal.readMeta(SLOTS_KEY)) ?? 0);
    const rows = await Promise.all(
      Array.from({ length: count }, (_, slot) => journal.readMeta(slotKey(slot))),
    );
    // Written by `#write`.
    return new PushDevices(
      rows.map((text) => (text === undefined || text === '' ? undefined : JSON.parse(text))),
    );
  }

  /** The devices, the oldest first. */
  get all(): readonly StoredDevice[] {
    return this.#slots.filter((device) => device !== undefined).toSorted((a, b) => a.createdAt - b.createdAt);
  }

  get isEmpty(): boolean {
    return this.#slots.every((device) => device === undefined);
  }

  find(id: string): StoredDevice | undefined {
    return this.#slots.find((device) => device?.id === id);
  }

  /** Adds a device or replaces the one with its id. */
  set(tx: Tx, device: StoredDevice): void {
    const own = this.#slots.findIndex((each) => each?.id === device.id);
    const free = this.#slots.indexOf(undefined);
    const slot = own !== -1 ? own : free !== -1 ? free : this.#slots.length;
    this.#write(tx, slot, device);
  }

  /** Removes a device. Does nothing for an unknown id. */
  remove(tx: Tx, id: string): void {
    const slot = this.#slots.findIndex((each) => each?.id === id);
    if (slot !== -1) this.#write(tx, slot, undefined);
  }

  #write(tx: Tx, slot: number, device: StoredDevice | undefined): void {
    const before = this.#slots[slot];
    this.#slots[slot] = device;
    tx.undo(() => {
      this.#slots[slot] = before;
    });
    tx.write({ op: 'meta', key: slotKey(slot), value: device === undefined ? '' : JSON.stringify(device) });
    if (slot < this.#slotCount) return;
    const count = this.#slotCount;
    this.#slotCount = slot + 1;
    tx.undo(() => {
      this.#slotCount = count;
    });
    tx.write({ op: 'meta', key: SLOTS_KEY, value: String(this.#slotCount) });
  }
}

/** A device as clients of a token see it. The subscription stays with the host: its URL is a secret. */
export function shownDevice(stored: StoredDevice, tokenHash: string): PushDevice {
  const { id, device, createdAt, quietHours, mutedSessions, events, lastSentAt, lastFailure } = stored;
  return {
    id,
    device,
    createdAt: new Date(createdAt).toISOString(),
    isMine: stored.tokenHash === tokenHash,
    mutedSessions: [...mutedSessions],
    events,
    ...defined({
      quietHours,
      lastSentAt: lastSentAt === undefined ? undefined : new Date(lastSentAt).toISOString(),
      lastFailure,
    }),
  };
}
