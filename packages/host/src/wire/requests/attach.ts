import {
  CLOSE_CODES,
  type Snapshot,
  type SubscribeView,
  type SubscriptionDeliveryOptions,
  weightOf,
} from '@agenthost/protocol';
import { steadyNow } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import { isUnjournaled } from '../../sync/sequencer.ts';
import { type Captured, capture, makeSnapshot, turnShares } from '../../sync/snapshots.ts';
import type { Subscription } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { RememberedSubscription } from '../clients/client-record.ts';
import type { Clients } from '../clients/clients.ts';
import type { Connection } from '../connection/connection.ts';

/** A channel that a connection wants, and how. */
export interface Wanted {
  readonly channel: Channel;
  readonly view: SubscribeView | undefined;
  readonly delivery: SubscriptionDeliveryOptions | undefined;
}

/**
 * All but the completed turns stands whole in a snapshot: running turns, queues, drafts, tools of clients, output. That of all snapshots in one answer
 * stops at so many characters: with the completed turns it stays within what clients take. Channels beyond it are left out, and can be
 * subscribed to one by one.
 */
const MAX_WHOLE_LENGTH = 24 * 1024 * 1024;

/** A channel with less than this is never left out: large ones of somebody else must not keep a client from it. */
const SMALL_LENGTH = 64 * 1024;

/** What a handshake or subscribe got at its boundary. The connection's outbox is held until the answer. */
export interface Attached {
  readonly snapshots: Snapshot[];
  /** The number that every snapshot reflects. */
  readonly fromSeq: number;
}

/** The parts of a host that subscriptions are made with. */
export interface Attaching {
  readonly sync: Sync;
  readonly clients: Clients<Connection>;
}

/** Subscribes at a tick's boundary and makes the snapshots that fit it exactly [CONN-2]. Disposed channels are left out, and those that make the answer too large. */
export async function attachWithSnapshots(
  attaching: Attaching,
  connection: Connection,
  wanted: readonly Wanted[],
): Promise<Attached> {
  const { sync, clients } = attaching;
  const attached = await sync.path.boundary(
    () => {
      // Else a client that lost this answer and says what it saw last could not be told from one that has it.
      const fromSeq = wanted.length === 0 ? sync.emittedSeq : sync.nextBoundarySeq();
      return { captured: captureAll(wanted, fromSeq), fromSeq, cuts: cutsOf(wanted) };
    },
    ({ captured, fromSeq, cuts }) => {
      if (cuts !== cutsOf(wanted)) return undefined;
      connection.outbox.holdAnew(new Set(wanted.map(({ channel }) => channel.uri)));
      const shares = turnShares(captured.map(({ state }) => state));
      const making = captured.map(async ({ item, state }, index) => {
        const share = shares[index] ?? { maxBytes: 0, least: 0 };
        const before = item.channel.subscriptions.get(connection);
        // Until it is known how far back the snapshot reaches: what it has for certain.
        const certain = Math.max(state.firstOrdinal, state.turnCount - (item.view?.turns ?? state.turnCount));
        const window = { since: fromSeq, fromOrdinal: certain };
        const subscription = subscribe(clients, connection, item, window);
        try {
          const { snapshot, fromOrdinal } = await makeSnapshot(sync, state, item.view, share);
          if (!subscription.isRealigned) subscription.fromOrdinal = fromOrdinal;
          return { item, before, subscription, snapshot: connection.dialect.snapshot(snapshot) };
        } catch (error) {
          restore(connection, item.channel, before);
          throw error;
        }
      });
      return { promise: Promise.all(making), fromSeq };
    },
  );
  // History was cut between the boundary and the subscription, when its window was nobody's yet [CHAT-6].
  if (attached === undefined) return attachWithSnapshots(attaching, connection, wanted);
  const { promise, fromSeq } = attached;
  const made = await promise;
  const entries = made.map(({ item, subscription }) => [item.channel.uri, remembered(subscription)] as const);
  // One that was replaced meanwhile no longer speaks for the client [CONN-3].
  const isRemembered = connection.isClosed || (await remember(clients, connection, entries));
  const { sequencer } = sync;
  const mustTell = entries.length > 0 && !isRemembered && !isUnjournaled(fromSeq);
  if (mustTell && sequencer.covers(sequencer.following)) {
    // The journal began to fail meanwhile: the number has to say that no journal may hold these windows.
    for (const { item, before } of made) restore(connection, item.channel, before);
    return attachAgain(attaching, connection, wanted);
  }
  return { snapshots: made.map(({ snapshot }) => snapshot), fromSeq };
}

/** Attaches once more. Where that fails the connection is closed: envelopes of these channels have been dropped for it. */
async function attachAgain(...again: Parameters<typeof attachWithSnapshots>): Promise<Attached> {
  try {
    return await attachWithSnapshots(...again);
  } catch (error) {
    const [, connection] = again;
    connection.close(CLOSE_CODES.slowConsumer, 'its subscriptions were lost: reconnect');
    throw error;
  }
}

/** Changes when the history of one of these channels is cut. */
export const cutsOf = (wanted: readonly Wanted[]): string =>
  wanted.map(({ channel }) => channel.historyVersion).join();

/** A subscription that was asked for in vain leaves the one before it. */
function restore(connection: Connection, channel: Channel, before: Subscription | undefined): void {
  if (before !== undefined && channel.subscriptions.has(connection)) {
    channel.subscriptions.set(connection, before);
    return;
  }
  leave(connection, channel);
}

/** Takes the connection's subscription to a channel out, on both sides. */
export function leave(connection: Connection, channel: Channel): void {
  channel.subscriptions.delete(connection);
  connection.channels.delete(channel);
}

function captureAll(wanted: readonly Wanted[], fromSeq: number): { item: Wanted; state: Captured }[] {
  let wholeLength = 0;
  return wanted
    .filter(({ channel }) => channel.isAlive)
    .map((item) => ({ item, state: capture(item.channel, fromSeq) }))
    .filter(({ state: { state } }) => {
      // One alone is as large as it is.
      const length = wanted.length === 1 ? 0 : lengthOfWhole(state);
      if (length > SMALL_LENGTH && wholeLength > 0 && wholeLength + length > MAX_WHOLE_LENGTH) return false;
      wholeLength += length;
      return true;
    });
}

/** Length of what a snapshot has besides completed turns. */
const lengthOfWhole = (state: Channel['state']): number =>
  weightOf('turns' in state ? { ...state, turns: [] } : state);

/** Adds or replaces the connection's subscription to a channel [SUB-1]. */
export function subscribe(
  clients: Clients<Connection>,
  connection: Connection,
  { channel, view, delivery }: Wanted,
  { since, fromOrdinal }: Pick<Subscription, 'since' | 'fromOrdinal'>,
): Subscription {
  const subscription: Subscription = {
    sink: connection,
    view,
    delivery,
    since,
    fromOrdinal,
    takesTurns: connection.dialect.takesTurns,
    isRealigned: false,
    keep: () => clients.keepWindow(connection.online.client, channel.uri, remembered(subscription)),
    ended: () => connection.channels.delete(channel),
  };
  if (!connection.isClosed) {
    channel.subscriptions.set(connection, subscription);
    connection.channels.add(channel);
  }
  return subscription;
}

function remembered({ view, delivery, since, fromOrdinal }: Subscription): RememberedSubscription {
  return {
    ...(view === undefined ? {} : { view }),
    ...(delivery === undefined ? {} : { delivery }),
    since,
    fromOrdinal,
  };
}

/**
 * What a client holds is durable before it gets it: after a kill the host must know how far its windows reach. Resolves as `Clients.note`
 * does.
 */
function remember(
  clients: Clients<Connection>,
  connection: Connection,
  entries: readonly (readonly [string, RememberedSubscription])[],
): Promise<boolean> {
  return clients.note(connection.online.client, (record) => {
    const present = new Set([...connection.channels].map((channel) => channel.uri));
    // Those to channels that were disposed of meanwhile go: nothing else would ever take them out.
    const others = [...record.subscriptions].filter(([uri]) => present.has(uri));
    record.subscriptions = new Map([...others, ...entries]);
  });
}

/** Ends a subscription: nothing of that channel is delivered any more but echoes of own dispatches [SUB-2]. */
export function detach(sync: Sync, clients: Clients<Connection>, connection: Connection, uri: string): void {
  const channel = sync.registry.get(uri);
  if (channel !== undefined) {
    leave(connection, channel);
    channel.usedAt = steadyNow(sync.clock);
  }
  const { client } = connection.online;
  // What a slow socket has not taken yet, or a delay holds back.
  connection.outbox.dropEnvelopes(uri, client.id);
  if (!client.subscriptions.has(uri)) return;
  void clients.note(client, (record) => {
    record.subscriptions = new Map([...record.subscriptions].filter(([key]) => key !== uri));
  });
}
