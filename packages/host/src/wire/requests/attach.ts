import {
  CLOSE_CODES,
  type Snapshot,
  type SubscribeView,
  type SubscriptionDeliveryOptions,
  weightOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { steadyNow } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import { isUnjournaled } from '../../sync/sequencer.ts';
import { type Captured, capture, makeSnapshot, turnShares } from '../../sync/snapshots.ts';
import type { Subscription } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { RememberedSubscription } from '../clients/client-record.ts';
import type { Clients } from '../clients/clients.ts';
import type { Connection } from '../connection/connection.ts';

/** A subscription that a connection asks for. */
export interface Wanted {
  readonly channel: Channel;
  readonly view: SubscribeView | undefined;
  readonly delivery: SubscriptionDeliveryOptions | undefined;
}

/**
 * Limit for the parts of all snapshots in one answer that are never shortened: running turns, queues, drafts, tools of clients, output. Together
 * with the completed turns the answer stays below the frame limit of clients. Channels above the limit are left out of the answer. A client can
 * subscribe to each of them alone. In UTF-16 units.
 */
const MAX_WHOLE_LENGTH = 24 * 1024 * 1024;

/** A channel below this length is never left out, so that large channels of other clients cannot displace it. */
const SMALL_LENGTH = 64 * 1024;

/** The snapshots of a handshake or subscribe, made at one boundary. The outbox of the connection is held until the answer. */
export interface Attached {
  readonly snapshots: Snapshot[];
  /** The `serverSeq` that every snapshot reflects. */
  readonly fromSeq: number;
}

/** The parts of a host that are needed to subscribe. */
export interface Attaching {
  readonly sync: Sync;
  readonly clients: Clients<Connection>;
}

/**
 * Subscribes at the boundary of a tick and makes the snapshots of exactly that boundary [CONN-2]. Leaves out disposed channels, and channels that
 * would make the answer too large.
 */
export async function attachWithSnapshots(
  attaching: Attaching,
  connection: Connection,
  wanted: readonly Wanted[],
): Promise<Attached> {
  const { sync, clients } = attaching;
  const attached = await sync.path.boundary(
    () => {
      // A separate number distinguishes a client that lost this answer from a client that got it.
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
        // A lower bound until the snapshot is made.
        const certain = Math.max(state.firstOrdinal, state.turnCount - (item.view?.turns ?? state.turnCount));
        const window = { since: fromSeq, fromOrdinal: certain };
        const subscription = subscribe(clients, connection, item, window);
        try {
          const { snapshot, fromOrdinal } = await makeSnapshot(sync, state, item.view, share);
          if (!subscription.isRealigned) subscription.fromOrdinal = fromOrdinal;
          return {
            item,
            before,
            subscription,
            snapshot: connection.translator.snapshot(connection.sight.snapshot(snapshot), item.channel.kind),
          };
        } catch (error) {
          restore(connection, item.channel, before);
          throw error;
        }
      });
      return { promise: Promise.all(making), fromSeq };
    },
  );
  // History was cut after the boundary and before the subscription, so this window was not updated [CHAT-6].
  if (attached === undefined) return attachWithSnapshots(attaching, connection, wanted);
  const { promise, fromSeq } = attached;
  const made = await promise;
  const entries = made.map(({ item, subscription }) => [item.channel.uri, remembered(subscription)] as const);
  // A connection that was replaced no longer speaks for the client [CONN-3].
  const isRemembered = connection.isClosed || (await remember(clients, connection, entries));
  const { sequencer } = sync;
  const mustTell = entries.length > 0 && !isRemembered && !isUnjournaled(fromSeq);
  if (mustTell && sequencer.covers(sequencer.following)) {
    // The journal has begun to fail. The new number must be one that marks these windows as not journaled.
    for (const { item, before } of made) restore(connection, item.channel, before);
    return attachAgain(attaching, connection, wanted);
  }
  return { snapshots: made.map(({ snapshot }) => snapshot), fromSeq };
}

/** Attaches once more. If that fails, it closes the connection, because envelopes of these channels were dropped. */
async function attachAgain(...again: Parameters<typeof attachWithSnapshots>): Promise<Attached> {
  try {
    return await attachWithSnapshots(...again);
  } catch (error) {
    const [, connection] = again;
    connection.close(CLOSE_CODES.slowConsumer, 'the subscriptions of this connection were lost: reconnect');
    throw error;
  }
}

/** A key that changes when the history of one of these channels is cut. */
export const cutsOf = (wanted: readonly Wanted[]): string =>
  wanted.map(({ channel }) => channel.historyVersion).join();

/** Restores the earlier subscription after a failed one. */
function restore(connection: Connection, channel: Channel, before: Subscription | undefined): void {
  if (before !== undefined && channel.subscriptions.has(connection)) {
    channel.subscriptions.set(connection, before);
    return;
  }
  leave(connection, channel);
}

/** Removes the subscription of a connection to a channel, on both sides. */
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
      // A single channel is never left out.
      const length = wanted.length === 1 ? 0 : lengthOfWhole(state);
      if (length > SMALL_LENGTH && wholeLength > 0 && wholeLength + length > MAX_WHOLE_LENGTH) return false;
      wholeLength += length;
      return true;
    });
}

/** Length of the parts of a snapshot that are never shortened. */
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
    takesTurns: connection.translator.takesTurns,
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
  return { ...defined({ view, delivery }), since, fromOrdinal };
}

/**
 * Journals the windows of a client before it gets them: after a kill the host must know how far the windows reach. Resolves as `Clients.note`
 * does.
 */
function remember(
  clients: Clients<Connection>,
  connection: Connection,
  entries: readonly (readonly [string, RememberedSubscription])[],
): Promise<boolean> {
  return clients.note(connection.online.client, (record) => {
    const present = new Set([...connection.channels].map((channel) => channel.uri));
    // Drops subscriptions to channels that were disposed of. Nothing else would remove them.
    const others = [...record.subscriptions].filter(([uri]) => present.has(uri));
    record.subscriptions = new Map([...others, ...entries]);
  });
}

/** Ends a subscription. Later output of the channel is not sent, except echoes of the client's own dispatches [SUB-2]. */
export function detach(sync: Sync, clients: Clients<Connection>, connection: Connection, uri: string): void {
  const channel = sync.registry.get(uri);
  if (channel !== undefined) {
    leave(connection, channel);
    channel.usedAt = steadyNow(sync.clock);
  }
  const { client } = connection.online;
  // Drops envelopes that wait for a slow socket or for a delay.
  connection.outbox.dropEnvelopes(uri, client.id);
  if (!client.subscriptions.has(uri)) return;
  void clients.note(client, (record) => {
    record.subscriptions = new Map([...record.subscriptions].filter(([key]) => key !== uri));
  });
}
