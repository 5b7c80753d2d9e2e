import {
  conflict,
  invalidParam,
  limitReached,
  notFound,
  type QuietHours,
  type SubscribePushParams,
} from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { cleanLine } from '../../lib/clean-line.ts';
import type { Clock, Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import {
  MAX_DEVICES,
  MAX_DEVICES_PER_TOKEN,
  MAX_GUEST_DEVICES,
  type PushDevices,
  type StoredDevice,
  shownDevice,
} from './devices.ts';
import { type EndpointPolicy, endpointProblem } from './endpoint.ts';
import type { Notifier } from './notifier.ts';
import { quietHoursProblem } from './quiet-hours.ts';
import { isAccepted, type PushSender, reasonOf } from './sender.ts';
import { isPoint, type VapidKeys } from './vapid-keys.ts';

const MAX_DEVICE_NAME = 100;
const AUTH_BYTES = 16;
/** Shortest time between two tests of a device: tests are the only pushes that a client causes directly. */
const TEST_INTERVAL_MS = 5_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly devices: PushDevices;
  readonly notifier: Notifier;
  readonly sender: PushSender;
  readonly policy: EndpointPolicy;
  keys(): Promise<VapidKeys>;
  /** Whether a token was created by `x-createToken`. */
  isGiven(tokenHash: string): boolean;
}

/** `x-pushKey`, `x-subscribePush`, `x-listPush`, `x-updatePush`, `x-revokePush` and `x-testPush`. */
export function pushCommands(parts: Parts): Commands {
  const { sync, clock, devices } = parts;
  const testedAt = new Map<string, number>();
  const own = (id: string, { tokenHash, isAdmin }: Caller): StoredDevice => {
    const device = devices.find(id);
    // Other tokens do not learn which devices exist.
    if (device === undefined || !(isAdmin || device.tokenHash === tokenHash))
      throw notFound('push device', id);
    return device;
  };
  return {
    'x-pushKey': async () => ({ publicKey: (await parts.keys()).publicKey }),
    'x-subscribePush': async (params, caller) => {
      checkSubscription(params, parts.policy);
      checkQuietHours(params.quietHours);
      return sync.commit('client', (tx) => {
        const device = deviceFor(parts, params, caller);
        devices.set(tx, device);
        return { id: device.id };
      });
    },
    'x-listPush': (_, { tokenHash, isAdmin }) => ({
      items: devices.all
        .filter((device) => isAdmin || device.tokenHash === tokenHash)
        .map((device) => shownDevice(device, tokenHash)),
    }),
    'x-updatePush': ({ id, quietHours, mutedSessions, events }, caller) => {
      checkQuietHours(quietHours ?? undefined);
      sync.transact('client', (tx) => {
        const { quietHours: before, ...device } = own(id, caller);
        const after = quietHours === undefined ? before : (quietHours ?? undefined);
        devices.set(tx, { ...device, ...defined({ quietHours: after, mutedSessions, events }) });
      });
      return null;
    },
    'x-revokePush': ({ id }, caller) => {
      own(id, caller);
      sync.transact('client', (tx) => devices.remove(tx, id));
      return null;
    },
    'x-testPush': async ({ id }, caller) => {
      const device = own(id, caller);
      const now = clock.now();
      for (const [tested, at] of testedAt) if (at + TEST_INTERVAL_MS <= now) testedAt.delete(tested);
      if (testedAt.has(id)) throw conflict('This device was tested a few seconds ago: try again later');
      testedAt.set(id, now);
      const answer = await parts.sender
        .test(id, parts.notifier.testMessage(device))
        .catch((error: unknown) => {
          throw conflict(`The push was not delivered: ${errorText(error)}`);
        });
      if (!isAccepted(answer)) throw conflict(`The push was not delivered: ${reasonOf(answer)}`);
      return { status: answer.status };
    },
  };
}

/** The device of a subscription: a new one, or the present one of its endpoint. Throws above the limit. */
function deviceFor(
  { clock, ids, devices, isGiven }: Parts,
  { subscription, device: name, locale, quietHours }: SubscribePushParams,
  { tokenHash, scope }: Caller,
): StoredDevice {
  const { endpoint, keys } = subscription;
  const present = devices.all.find((each) => each.subscription.endpoint === endpoint);
  if (present === undefined || present.tokenHash !== tokenHash) {
    const others = devices.all.filter((each) => each !== present);
    if (others.length >= MAX_DEVICES) throw tooMany('this host', MAX_DEVICES);
    if (scope === 'none' && others.filter((each) => each.scope === 'none').length >= MAX_GUEST_DEVICES)
      throw tooMany('people who see only shared sessions', MAX_GUEST_DEVICES);
    if (others.filter((each) => each.tokenHash === tokenHash).length >= MAX_DEVICES_PER_TOKEN)
      throw tooMany('this token', MAX_DEVICES_PER_TOKEN);
  }
  const settings = present && { ...defined({ quietHours: present.quietHours }) };
  return {
    id: present?.id ?? ids.next(),
    createdAt: present?.createdAt ?? clock.now(),
    mutedSessions: present?.mutedSessions ?? [],
    events: present?.events ?? { inputNeeded: true, turnEnded: true },
    ...settings,
    // A browser that has signed in with another token.
    tokenHash,
    scope,
    isGiven: isGiven(tokenHash),
    subscription: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } },
    device: cleanLine(name, MAX_DEVICE_NAME),
    ...defined({ locale, quietHours }),
  };
}

const tooMany = (whose: string, max: number): Error =>
  limitReached(`There are ${max} devices of ${whose}, the maximum: revoke unused ones`, 'push devices', max);

function checkSubscription(
  { subscription: { endpoint, keys }, device }: SubscribePushParams,
  policy: EndpointPolicy,
): void {
  const problem = endpointProblem(endpoint, policy);
  if (problem !== undefined) throw invalidParam('subscription.endpoint', problem);
  if (!isPoint(keys.p256dh))
    throw invalidParam('subscription.keys.p256dh', 'expected a point of P-256 in base64url');
  if (!/^[\w-]+=*$/.test(keys.auth) || Buffer.from(keys.auth, 'base64url').length !== AUTH_BYTES)
    throw invalidParam('subscription.keys.auth', `expected ${AUTH_BYTES} bytes in base64url`);
  if (cleanLine(device, MAX_DEVICE_NAME) === '') throw invalidParam('device', 'expected a name');
}

function checkQuietHours(quietHours: QuietHours | undefined): void {
  const problem = quietHours && quietHoursProblem(quietHours);
  if (problem !== undefined) throw invalidParam('quietHours', problem);
}
