import {
  type ActionEnvelope,
  annotationsUri,
  type ChannelKind,
  type ChannelState,
  ErrorCodes,
  type Snapshot,
  type StateAction,
  type SubscribeParams,
  type SubscribeResult,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { Clock } from '../clock.ts';
import { ConnectionLost, UnexpectedState } from '../errors.ts';
import type { ReportError } from '../listeners.ts';
import { Channel, type SubscriptionOptions } from './channel.ts';
import { kindOfSnapshot } from './channel-kind.ts';
import type { PendingAction } from './pending-actions.ts';

/** What subscriptions need of the client. */
export interface SubscriptionsPort {
  readonly clock: Clock;
  readonly report: ReportError;
  /** Sends `subscribe`. `onResult` runs synchronously when the answer arrives. Rejects like any request. */
  subscribe(params: SubscribeParams, onResult: (result: SubscribeResult) => void): Promise<unknown>;
  /** Sends `unsubscribe` if there is a connection. */
  unsubscribe(channel: URI): void;
  /** Pending actions of a channel, in order. */
  predictedOn(channel: URI): PendingAction[];
  /** The channel is gone, and with it its pending actions. */
  lost(channel: URI): void;
}

/** A held channel. */
export interface Subscription {
  readonly channel: Channel<ChannelKind>;
  options: SubscriptionOptions;
  holderCount: number;
  /**
   * The last handshake did not restore this channel, so its state is older than the highest number seen. It
   * must not be named in `reconnect` before it has a new snapshot, because the host would consider it up to
   * date [CONN-5].
   */
  isStale: boolean;
  /** The running `fetchTurns`. */
  fetching: Promise<boolean> | undefined;
}

/** All channels that this client holds, with their latest state from the host. */
export class Subscriptions {
  readonly #port: SubscriptionsPort;
  readonly #held = new Map<URI, Subscription>();
  readonly #stateless = new Map<URI, number>();
  /** Running subscribe requests. Requests for one channel run one after the other. */
  readonly #asking = new Map<URI, Promise<unknown>>();

  constructor(port: SubscriptionsPort) {
    this.#port = port;
  }

  /** URIs for `reconnect`. */
  uris(): URI[] {
    const fresh = Array.from(this.#held).filter(([, { isStale }]) => !isStale);
    return [...fresh.map(([uri]) => uri), ...this.#stateless.keys()];
  }

  /** URIs that `initialize` can restore; it has no options for windows and delays. */
  plainUris(): URI[] {
    const plain = Array.from(this.#held).filter(([, { options }]) => !isShaped(options));
    return [...plain.map(([uri]) => uri), ...this.#stateless.keys()];
  }

  get(uri: URI): Subscription | undefined {
    return this.#held.get(uri);
  }

  /**
   * Holds a channel. Options that ask for more than the present subscription (more turns, less delay) widen
   * it for all holders by a new snapshot.
   */
  async hold(uri: URI, options: SubscriptionOptions, kind?: ChannelKind): Promise<Subscription> {
    for (let other = this.#underWay(uri); other !== undefined; other = this.#underWay(uri)) await other;
    const present = this.#held.get(uri);
    // A new holder of a terminal that was trimmed here gets what the host still has; so do the others.
    if (present !== undefined && covers(present.options, options) && !present.channel.isTrimmed) {
      present.holderCount += 1;
      return present;
    }
    const wanted = present === undefined ? options : union(present.options, options);
    let subscription: Subscription | undefined;
    await this.#ask(uri, wanted, ({ snapshot }) => {
      if (snapshot === undefined)
        throw new UnexpectedState(`${uri} has no state; subscribe with subscribeStateless`);
      subscription = this.#take(snapshot, wanted, kind);
      subscription.holderCount += 1;
    });
    if (subscription === undefined) throw new ConnectionLost('no answer to the subscribe request');
    return subscription;
  }

  /** Releases a hold. The last release unsubscribes. */
  release(subscription: Subscription): void {
    subscription.holderCount -= 1;
    this.#dropUnheld(subscription.channel.uri);
  }

  /** Holds a channel without state. */
  async holdStateless(uri: URI): Promise<void> {
    for (let other = this.#underWay(uri); other !== undefined; other = this.#underWay(uri)) await other;
    if (!this.#stateless.has(uri)) await this.#ask(uri, {}, () => undefined);
    this.#stateless.set(uri, (this.#stateless.get(uri) ?? 0) + 1);
  }

  /** Releases a channel without state. */
  releaseStateless(uri: URI): void {
    const rest = (this.#stateless.get(uri) ?? 1) - 1;
    if (rest > 0) {
      this.#stateless.set(uri, rest);
      return;
    }
    this.#stateless.delete(uri);
    this.#port.unsubscribe(uri);
  }

  /** Applies an envelope to its channel, if that is held. Call `refresh` afterwards. */
  apply(envelope: ActionEnvelope): void {
    const subscription = this.#held.get(envelope.channel);
    if (subscription === undefined) return;
    const before = subscription.channel.confirmed;
    try {
      subscription.channel.apply(envelope);
    } catch (error) {
      // A snapshot can repair what the reducer cannot apply.
      this.#port.report(error, `${envelope.action.type} on ${envelope.channel}`);
      this.#resubscribe(subscription);
    }
    this.#follow(envelope.action, before);
  }

  /** Shows `confirmed` with the present pending actions and calls the listeners. */
  refresh(uri: URI): void {
    const channel = this.#held.get(uri)?.channel;
    if (channel === undefined) return;
    try {
      channel.rebase(this.#port.predictedOn(uri));
    } catch (error) {
      // The prediction does not fit the new confirmed state; the host decides.
      this.#port.report(error, `prediction on ${uri}`);
      channel.rebase([]);
    }
    channel.flush();
  }

  /**
   * Shows the present pending actions without calling listeners. When a reducer throws, the error is thrown
   * and nothing changes.
   */
  predict(uri: URI): void {
    this.#held.get(uri)?.channel.rebase(this.#port.predictedOn(uri));
  }

  /**
   * Replaces the state of held channels by these snapshots. Channels without a snapshot are left to
   * `resubscribeStale`: they are gone, or were too large for the answer [SUB-3].
   */
  restore(snapshots: readonly Snapshot[]): void {
    const byUri = new Map(snapshots.map((snapshot) => [snapshot.resource, snapshot]));
    for (const [uri, subscription] of Array.from(this.#held)) {
      const snapshot = byUri.get(uri);
      if (snapshot !== undefined) {
        subscription.channel.reset(snapshot);
        subscription.isStale = false;
        this.refresh(uri);
      } else subscription.isStale = true;
    }
  }

  /**
   * Subscribes again, one by one, to channels whose options a handshake cannot express or that it did not
   * restore. A refused channel is lost.
   */
  resubscribeStale(): void {
    for (const subscription of this.#held.values()) {
      if (subscription.isStale) this.#resubscribe(subscription);
    }
  }

  /** The channel is gone. Its mirrors keep their state and end. */
  lose(uri: URI): void {
    const subscription = this.#held.get(uri);
    this.#stateless.delete(uri);
    if (subscription === undefined) return;
    this.#port.lost(uri);
    this.refresh(uri);
    this.#held.delete(uri);
    subscription.channel.lose();
  }

  /** A session was disposed, and with it its chats and annotations [SESS-3]. */
  loseSession(session: URI): void {
    const state = this.#held.get(session)?.channel.confirmed;
    const chats = state !== undefined && 'chats' in state ? state.chats.map(({ resource }) => resource) : [];
    for (const uri of [...chats, annotationsUri(session), session]) this.lose(uri);
  }

  /** All channels are gone, because the client is closed. */
  loseAll(): void {
    for (const uri of Array.from(this.#held.keys())) this.lose(uri);
    this.#stateless.clear();
  }

  #follow(action: StateAction, before: ChannelState[ChannelKind]): void {
    if (action.type === 'session/chatRemoved') this.lose(action.chat);
    if (action.type !== 'root/terminalsChanged' || !('agents' in before)) return;
    // Only terminals that were listed before: a host may list one after clients can subscribe to it.
    const listed = new Set(action.terminals.map(({ resource }) => resource));
    for (const { resource } of before.terminals ?? []) if (!listed.has(resource)) this.lose(resource);
  }

  #take(snapshot: Snapshot, options: SubscriptionOptions, kind?: ChannelKind): Subscription {
    const present = this.#held.get(snapshot.resource);
    if (present !== undefined) {
      present.channel.reset(snapshot);
      present.isStale = false;
      present.options = options;
      this.refresh(snapshot.resource);
      return present;
    }
    const channel = new Channel<ChannelKind>(kind ?? kindOfSnapshot(snapshot), snapshot, this.#port.report);
    const subscription: Subscription = {
      channel,
      options,
      holderCount: 0,
      isStale: false,
      fetching: undefined,
    };
    this.#held.set(snapshot.resource, subscription);
    this.refresh(snapshot.resource);
    return subscription;
  }

  #resubscribe({ channel: { uri }, options }: Subscription): void {
    const again = async (): Promise<void> => {
      for (let other = this.#underWay(uri); other !== undefined; other = this.#underWay(uri)) await other;
      if (!this.#held.has(uri)) return;
      await this.#ask(uri, options, ({ snapshot }) => {
        if (snapshot !== undefined && this.#held.has(uri)) this.#take(snapshot, options);
      });
    };
    again().catch((error: unknown) => {
      // After a drop a handshake restores the channel. Any other error means that it is lost.
      if (error instanceof ConnectionLost) return;
      if (!isGone(error)) this.#port.report(error, `subscription to ${uri}`);
      this.lose(uri);
    });
  }

  /**
   * The running subscribe request for this channel, settled either way. Check again after it, with no await
   * between the check and `#ask`, so that only one caller continues.
   */
  #underWay(uri: URI): Promise<unknown> | undefined {
    const settled = (): void => undefined;
    return this.#asking.get(uri)?.then(settled, settled);
  }

  async #ask(
    uri: URI,
    options: SubscriptionOptions,
    onResult: (result: SubscribeResult) => void,
  ): Promise<void> {
    const { turns, maxLatencyMs } = options;
    const asking = this.#port.subscribe(
      {
        channel: uri,
        ...(turns === undefined ? {} : { view: { turns } }),
        ...(maxLatencyMs === undefined ? {} : { delivery: { maxLatencyMs } }),
      },
      onResult,
    );
    this.#asking.set(uri, asking);
    try {
      await asking;
    } catch (error) {
      const isHeld = this.#held.has(uri) || this.#stateless.has(uri);
      // The host has subscribed the client, which rejected the snapshot.
      if (error instanceof UnexpectedState && !isHeld) this.#port.unsubscribe(uri);
      throw error;
    } finally {
      this.#asking.delete(uri);
      this.#dropUnheld(uri);
    }
  }

  /** Not while a request runs: the host would process `unsubscribe` after it. */
  #dropUnheld(uri: URI): void {
    const subscription = this.#held.get(uri);
    if (subscription === undefined || subscription.holderCount > 0 || this.#asking.has(uri)) return;
    this.#held.delete(uri);
    this.#port.unsubscribe(uri);
  }
}

const isShaped = ({ turns, maxLatencyMs }: SubscriptionOptions): boolean =>
  turns !== undefined || maxLatencyMs !== undefined;

function covers(present: SubscriptionOptions, wanted: SubscriptionOptions): boolean {
  const hasTurns =
    present.turns === undefined || (wanted.turns !== undefined && present.turns >= wanted.turns);
  return hasTurns && (present.maxLatencyMs ?? 0) <= (wanted.maxLatencyMs ?? 0);
}

function union(a: SubscriptionOptions, b: SubscriptionOptions): SubscriptionOptions {
  const maxLatencyMs = Math.min(a.maxLatencyMs ?? 0, b.maxLatencyMs ?? 0);
  return {
    turns: a.turns === undefined || b.turns === undefined ? undefined : Math.max(a.turns, b.turns),
    maxLatencyMs: maxLatencyMs > 0 ? maxLatencyMs : undefined,
  };
}

/** Whether the host says that the channel does not exist. */
const isGone = (error: unknown): boolean =>
  error instanceof RpcError &&
  (error.code === ErrorCodes.NotFound || error.code === ErrorCodes.SessionNotFound);
