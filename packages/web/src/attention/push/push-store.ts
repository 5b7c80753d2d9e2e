import type { AhpClient } from '@agenthost/client';
import type { PushDevice, UpdatePushParams } from '@agenthost/protocol';
import { Emitter } from '../../live/emitter.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { OWN_HOST } from '../../live/hosts.ts';
import { deviceOf } from '../../presence/device.ts';
import { language } from '../../text/text.ts';
import {
  presentSubscription,
  subscribeBrowser,
  subscriptionInfo,
  unsubscribeBrowser,
} from './browser-subscription.ts';
import { keptDeviceSetting } from './kept-device.ts';
import { pushPlan } from './push-plan.ts';
import { type PushSupport, pushSupport } from './push-support.ts';

/** The devices of a host that get notifications, and whether this browser is one. */
export interface PushSnapshot {
  /** Oldest first; `undefined` until the host answered. */
  readonly devices: readonly PushDevice[] | undefined;
  /** The device that is this browser; `undefined`: notifications are off here. */
  readonly own: PushDevice | undefined;
  readonly support: PushSupport;
  /** The host no longer knows this browser, which had notifications. */
  readonly wasRevoked: boolean;
  /** Why the host could not be asked. */
  readonly problem: string | undefined;
}

/** Registers this browser at the host that served the page, and follows the devices of a host. */
export class PushStore {
  readonly #link: HostLink;
  readonly #changed = new Emitter();
  #lastCheck: Promise<void> = Promise.resolve();
  #snapshot: PushSnapshot = {
    devices: undefined,
    own: undefined,
    support: pushSupport(),
    wasRevoked: false,
    problem: undefined,
  };

  constructor(link: HostLink) {
    this.#link = link;
  }

  get snapshot(): PushSnapshot {
    return this.#snapshot;
  }

  /** Calls `listener` after `snapshot` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Asks the host for its devices, and registers this browser again when its subscription changed. Never rejects. */
  check(): Promise<void> {
    // Two checks at once would register a new subscription twice.
    this.#lastCheck = this.#lastCheck.then(() => this.#check());
    return this.#lastCheck;
  }

  async #check(): Promise<void> {
    const { client } = this.#link;
    if (client === undefined || this.#link.isCopy) return;
    try {
      const devices = await client.push.list();
      const support = pushSupport();
      const kept = this.#isOwnHost ? keptDeviceSetting.value : null;
      const endpoint = support === 'granted' ? (await presentSubscription())?.endpoint : undefined;
      const ids = devices.map(({ id }) => id);
      const plan = support === 'granted' ? pushPlan(kept, endpoint, ids) : 'off';
      if (plan === 'renew') return await this.#renew(client, devices);
      const own = plan === 'on' ? devices.find(({ id }) => id === kept?.id) : undefined;
      this.#set({ devices, own, support, wasRevoked: plan === 'revoked', problem: undefined });
    } catch (error) {
      this.#set({ support: pushSupport(), problem: messageOf(error) });
    }
  }

  /** Asks the person if needed, subscribes and registers this browser. Call it from a click. Rejects with the reason of browser or host. */
  async switchOn(): Promise<void> {
    const client = this.#client();
    // Browsers ask only in answer to a click, so nothing is awaited before.
    const permission = await Notification.requestPermission();
    this.#set({ support: pushSupport() });
    if (permission !== 'granted') return;
    await this.#register(client);
    await this.check();
  }

  /** Ends the notifications of this browser. */
  async switchOff(): Promise<void> {
    const kept = keptDeviceSetting.value;
    keptDeviceSetting.set(null);
    this.#set({ own: undefined });
    await unsubscribeBrowser();
    if (kept !== null && this.#snapshot.devices?.some(({ id }) => id === kept.id) === true)
      await this.#client().push.revoke(kept.id);
    await this.check();
  }

  /** Removes another device, or this one. */
  async revoke(id: string): Promise<void> {
    if (id === keptDeviceSetting.value?.id) return this.switchOff();
    await this.#client().push.revoke(id);
    await this.check();
  }

  /** Changes settings of a device. They show at once; when the host refuses them, the former ones come back. */
  async update(id: string, changes: Omit<UpdatePushParams, 'channel' | '_meta' | 'id'>): Promise<void> {
    const shown = this.#snapshot.devices?.map((device) =>
      device.id === id ? changed(device, changes) : device,
    );
    this.#set({ devices: shown, own: shown?.find((device) => device.id === this.#snapshot.own?.id) });
    try {
      await this.#client().push.update({ id, ...changes });
    } finally {
      await this.check();
    }
  }

  /** Sends a test to a device. Resolves with the HTTP status of the push service; rejects with the reason why there is none. */
  async test(id: string): Promise<number> {
    try {
      return (await this.#client().push.test(id)).status;
    } finally {
      await this.check();
    }
  }

  async #register(client: AhpClient): Promise<string> {
    const subscription = subscriptionInfo(await subscribeBrowser(await client.push.publicKey()));
    const id = await client.push.subscribe({
      subscription,
      device: deviceOf(navigator.userAgent),
      locale: language,
    });
    keptDeviceSetting.set({ id, endpoint: subscription.endpoint });
    return id;
  }

  /** Registers the new subscription of this browser with the settings of the old one. */
  async #renew(client: AhpClient, devices: readonly PushDevice[]): Promise<void> {
    const old = devices.find(({ id }) => id === keptDeviceSetting.value?.id);
    const id = await this.#register(client);
    if (old !== undefined && old.id !== id) {
      const { events, mutedSessions, quietHours = null } = old;
      await client.push.update({ id, events, mutedSessions, quietHours });
      await client.push.revoke(old.id);
    }
    const renewed = await client.push.list();
    this.#set({
      devices: renewed,
      own: renewed.find((device) => device.id === id),
      support: pushSupport(),
      wasRevoked: false,
      problem: undefined,
    });
  }

  /** Another host would need a subscription with a key of its own, and a browser gives a page only one. */
  get #isOwnHost(): boolean {
    return this.#link.address.id === OWN_HOST;
  }

  #client(): AhpClient {
    const { client } = this.#link;
    if (client === undefined) throw new Error('the host was never connected');
    return client;
  }

  #set(part: Partial<PushSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part };
    this.#changed.emit();
  }
}

function changed(
  { quietHours: before, ...device }: PushDevice,
  { quietHours = before, mutedSessions, events }: Omit<UpdatePushParams, 'channel' | '_meta' | 'id'>,
): PushDevice {
  return {
    ...device,
    ...(quietHours === null || quietHours === undefined ? {} : { quietHours }),
    ...(mutedSessions === undefined ? {} : { mutedSessions }),
    ...(events === undefined ? {} : { events }),
  };
}

const stores = new WeakMap<HostLink, PushStore>();

/** The store of a host. It lasts as long as the page. */
export function pushStore(link: HostLink): PushStore {
  const present = stores.get(link);
  if (present !== undefined) return present;
  const store = new PushStore(link);
  stores.set(link, store);
  return store;
}
