import { scopeWithRole, type TokenScope } from '@agenthost/protocol';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { OwnerTokens } from '../../auth/owner-tokens.ts';
import type { People } from '../../auth/people.ts';
import { DEFAULT_PUSH_CONTACT, isPushContact } from '../../config/push-contact.ts';
import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import type { FeatureList } from '../feature-list.ts';
import { pushCommands } from './commands.ts';
import { Delivery } from './delivery.ts';
import { PushDevices, type StoredDevice } from './devices.ts';
import { Notifier } from './notifier.ts';
import { Occasions } from './occasions.ts';
import { pushAnswerRoute } from './push-answer.ts';
import { type Outcomes, PushSender } from './sender.ts';
import { Tickets } from './tickets.ts';
import { loadKeys, type VapidKeys } from './vapid-keys.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly accessTokens: AccessTokens;
  readonly ownerTokens: OwnerTokens;
  readonly people: Pick<People, 'rolesOf'>;
  readonly presentClients: PresentClients;
  readonly features: Pick<FeatureList, 'channels'>;
  readonly dataDir: string | undefined;
  readonly options: { readonly allowLoopback?: boolean; readonly contact?: string } | undefined;
}

/** Web Push: devices get a message when input is needed and when a turn ends, and can answer an approval. */
export async function pushFeature(parts: Parts): Promise<Feature> {
  const { sync, clock, timers, log, accessTokens, ownerTokens, options = {} } = parts;
  const { contact = DEFAULT_PUSH_CONTACT } = options;
  if (!isPushContact(contact))
    throw new Error(
      `push.contact: expected a URL such as "mailto:me@example.org" or "https://example.org", got ${JSON.stringify(contact)}`,
    );
  const devices = await PushDevices.load(sync);
  const policy = { allowLoopback: options.allowLoopback ?? false };
  let loading: Promise<VapidKeys> | undefined;
  const keys = (): Promise<VapidKeys> => {
    loading ??= loadKeys(sync, parts.dataDir).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const isValid = ({ tokenHash, isGiven }: StoredDevice): boolean =>
    isGiven ? accessTokens.isValid(tokenHash) : !ownerTokens.isReplaced(tokenHash);
  const find = (id: string): StoredDevice | undefined => {
    const device = devices.find(id);
    return device !== undefined && isValid(device) ? device : undefined;
  };
  const rightIn = ({ tokenHash, scope }: StoredDevice, session: string): TokenScope =>
    scopeWithRole(scope, parts.people.rolesOf(accessTokens.personOf(tokenHash)).get(session));
  const delivery = new Delivery({ timers, policy, contact, keys });
  const sender = new PushSender({ clock, timers, log, delivery, outcomes: outcomesIn(sync, clock, devices) });
  const tickets = new Tickets(clock);
  const validDevices = (): readonly StoredDevice[] => devices.all.filter(isValid);
  const notifier = new Notifier({ ...parts, sender, tickets, devices: validDevices, find, rightIn });
  const occasions = new Occasions({
    sync,
    timers,
    isNeeded: () => !devices.isEmpty,
    onQuestion: (asked) => notifier.question(asked),
    onTurnEnded: (ended) => notifier.turnEnded(ended),
  });
  const dropInvalid = (): void => {
    if (devices.all.every(isValid)) return;
    sync.transact('host', (tx) => {
      for (const device of devices.all) if (!isValid(device)) devices.remove(tx, device.id);
    });
  };
  accessTokens.onEnded(dropInvalid);
  return {
    name: 'push',
    commands: pushCommands({
      ...parts,
      devices,
      notifier,
      sender,
      policy,
      keys,
      isGiven: (tokenHash) => accessTokens.isValid(tokenHash),
    }),
    routes: {
      '/push-answer': pushAnswerRoute({
        sync,
        tickets,
        modules: () => parts.features.channels,
        find,
        rightIn,
        personOf: (tokenHash) => accessTokens.personOf(tokenHash),
      }),
    },
    observe: () => occasions.observe(),
    recover: async () => {
      dropInvalid();
      await occasions.recover();
    },
    stop: () => {
      occasions.stop();
      notifier.stop();
      sender.stop();
    },
  };
}

/** Records the outcomes of pushes at their devices. */
function outcomesIn(sync: Sync, clock: Clock, devices: PushDevices): Outcomes {
  const change = (id: string, changed: (device: StoredDevice) => StoredDevice): void =>
    sync.transact('host', (tx) => {
      const device = devices.find(id);
      if (device !== undefined) devices.set(tx, changed(device));
    });
  return {
    sent: (id) => change(id, ({ lastFailure: _, ...device }) => ({ ...device, lastSentAt: clock.now() })),
    failed: (id, lastFailure) => change(id, (device) => ({ ...device, lastFailure })),
    gone: (id) => sync.transact('host', (tx) => devices.remove(tx, id)),
  };
}
