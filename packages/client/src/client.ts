import {
  type ChannelKind,
  type ChannelState,
  type ClientAction,
  type ClientToHostRequests,
  type HostRequestMethod,
  type HostToClientNotifications,
  type RememberedApproval,
  ROOT_URI,
  type TokenScope,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type CloseInfo, ConnectionClosed, type RequestOptions, RpcError } from '@agenthost/rpc';
import { Connection, type HostPeer } from './connection/connection.ts';
import type { ConnectionState } from './connection/connection-state.ts';
import { type ClientIdentity, type HostInfo, shakeHands } from './connection/handshake.ts';
import {
  HostMessages,
  type HostRequestHandler,
  type NotificationMethod,
} from './connection/host-messages.ts';
import { ConnectionLost, closeText, UnexpectedState } from './errors.ts';
import { Sessions } from './handles/sessions.ts';
import type { TerminalHandle } from './handles/terminal-handle.ts';
import { type CreateTerminalOptions, type TerminalCatalogue, Terminals } from './handles/terminals.ts';
import { Tokens } from './handles/tokens.ts';
import type { Channel, SubscriptionOptions } from './mirror/channel.ts';
import type { KindOf } from './mirror/channel-kind.ts';
import { Dispatcher } from './mirror/dispatcher.ts';
import { Feed } from './mirror/feed.ts';
import { type DispatchableAction, Mirror } from './mirror/mirror.ts';
import type { DispatchOutcome } from './mirror/pending-actions.ts';
import { type Subscription, Subscriptions } from './mirror/subscriptions.ts';
import { type ClientOptions, resolveOptions } from './options.ts';

/** The requests that are left to callers; the others are sent by the client itself. */
export type RequestMethod = Exclude<
  keyof ClientToHostRequests,
  'initialize' | 'reconnect' | 'subscribe' | 'ping'
>;

/**
 * A client of one host: commands, live mirrors of channels, and optimistic dispatch, kept through drops and restarts of
 * the host. Made by `createClient`, or by `connect` over a WebSocket.
 */
export class AhpClient {
  /** Create, open and list sessions, and talk in them. */
  readonly sessions: Sessions;
  /** Give access to others, and take it back. */
  readonly tokens: Tokens;
  readonly #terminals: Terminals;
  readonly #identity: ClientIdentity;
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;
  readonly #subscriptions: Subscriptions;
  readonly #messages: HostMessages;
  readonly #feed: Feed;
  #host: HostInfo | undefined;

  constructor(options: ClientOptions) {
    const { clock, random, report, identity, newId, ...connection } = resolveOptions(options);
    this.#identity = identity;
    this.#messages = new HostMessages(report);
    this.#dispatcher = new Dispatcher({
      clock,
      send: (params) => {
        const { peer } = this.#connection;
        peer?.notify('dispatchAction', params);
        return peer === undefined ? 0 : this.#connection.ordinal;
      },
      ping: () => this.ping(),
      predict: (uri) => this.#subscriptions.predict(uri),
      changed: (channels) => {
        for (const uri of channels) this.#subscriptions.refresh(uri);
      },
    });
    this.#subscriptions = new Subscriptions({
      clock,
      report,
      subscribe: (params, onResult) =>
        this.#ask('subscribe', params, {
          onResult: (result) => {
            if (result.snapshot !== undefined) this.#feed.saw(result.snapshot.fromSeq);
            onResult(result);
          },
        }),
      unsubscribe: (channel) => this.#connection.peer?.notify('unsubscribe', { channel }),
      predictedOn: (channel) => this.#dispatcher.predictedOn(channel),
      lost: (channel) => this.#dispatcher.settleChannel(channel),
    });
    this.#feed = new Feed({
      clientId: identity.clientId,
      dispatcher: this.#dispatcher,
      subscriptions: this.#subscriptions,
      report,
    });
    this.#connection = new Connection({
      ...connection,
      clock,
      random,
      report,
      attach: (peer) => {
        peer.onNotification('action', (envelope) => this.#feed.receive(envelope));
        this.#messages.attach(peer);
      },
      handshake: (peer, online) => this.#handshake(peer, online),
      ping: (peer) => this.#ping(peer),
      onOffline: (info) => this.#offline(info),
    });
    this.#connection.onState.add((state) => {
      if (state.state === 'closed' || state.state === 'replaced')
        this.#dispatcher.dropAll(state.error.message);
      if (state.state === 'closed') this.#subscriptions.loseAll();
    });
    this.onNotification('root/sessionRemoved', ({ session }) => this.#subscriptions.loseSession(session));
    this.sessions = new Sessions(this, newId);
    this.tokens = new Tokens(this);
    this.#terminals = new Terminals(this, newId);
  }

  /** Names this client in claims, origins and active clients. */
  get clientId(): string {
    return this.#identity.clientId;
  }

  /** Where the connection is, for UIs. */
  get status(): ConnectionState {
    return this.#connection.state;
  }

  /** What the host told of itself; absent before the first connection. */
  get host(): HostInfo | undefined {
    return this.#host;
  }

  /** What this client's token lets it do; absent before the first connection, and with hosts that know no scopes. */
  get scope(): TokenScope | undefined {
    return this.#host?.['x-scope'];
  }

  /** The number that the next `reconnect` will give; absent before the first connection. */
  get lastSeenServerSeq(): number | undefined {
    return this.#feed.lastSeenServerSeq;
  }

  /** Calls `listener` at every change of `status`. The result removes it. */
  onStatus(listener: (status: ConnectionState) => void): () => void {
    return this.#connection.onState.add(listener);
  }

  /**
   * Connects for the first time; reconnects by itself ever after. Rejects when that first attempt fails
   * (`CannotConnect`, `Unauthorized`, `HandshakeFailed`), and the client is closed then.
   */
  connect(): Promise<void> {
    return this.#connection.start();
  }

  /** Tries again at once when waiting, and takes the connection back when replaced; else does nothing. */
  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  /** Resolves when online, at once if so; rejects when the client is closed or replaced. */
  whenOnline(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (status: ConnectionState): boolean => {
        if (status.state === 'online') resolve();
        else if (status.state === 'closed' || status.state === 'replaced') reject(status.error);
        else return false;
        return true;
      };
      if (settle(this.status)) return;
      const stop = this.onStatus((status) => {
        if (settle(status)) stop();
      });
    });
  }

  /** Ends the connection, the mirrors and all that waits. Calling it again does nothing. */
  close(): void {
    this.#connection.close();
  }

  /**
   * Sends a command. Rejects with `RpcError` (the host's answer), `ConnectionLost` when there is no connection or it
   * drops before the answer (never sent again by itself), `RequestTimeout`, or an error named `AbortError`.
   */
  request<M extends RequestMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
    options: Pick<RequestOptions, 'signal' | 'timeoutMs'> = {},
  ): Promise<ClientToHostRequests[M]['result']> {
    const { signal, timeoutMs } = options;
    return this.#ask(method, params, { signal, timeoutMs });
  }

  /** What people have allowed for good, or what of it holds in a session (its URI), the oldest first. Rejects like `request`. */
  async approvals(session?: URI): Promise<RememberedApproval[]> {
    const params = { channel: ROOT_URI, ...defined({ session }) } as const;
    return (await this.request('x-listApprovals', params)).items;
  }

  /** Takes an approval back: people are asked again. Rejects with `RpcError` -32008 when there is none of that id. */
  async revokeApproval(id: string): Promise<void> {
    await this.request('x-revokeApproval', { channel: ROOT_URI, id });
  }

  /** Resolves when the host has settled everything that was sent before [WIRE-4]. Rejects with `ConnectionLost`. */
  async ping(): Promise<void> {
    const { peer } = this.#connection;
    if (peer === undefined) throw this.#notConnected();
    await translated(this.#ping(peer));
  }

  /**
   * Holds a live mirror of a channel. The kind follows from the URI where its scheme is the protocol's; give `kind` for
   * others. Mirrors of one channel share one subscription: asking for more than it gives widens it for all. Rejects
   * with `RpcError` (unknown, not permitted), `ConnectionLost`, `UnexpectedState`.
   */
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
  subscribe<U extends string>(uri: U, options?: SubscriptionOptions): Promise<Mirror<KindOf<U>>>;
  async subscribe(
    uri: URI,
    { kind, turns, maxLatencyMs }: SubscriptionOptions & { readonly kind?: ChannelKind } = {},
  ): Promise<Mirror<ChannelKind>> {
    const subscription = await this.#subscriptions.hold(uri, { turns, maxLatencyMs }, kind);
    if (kind !== undefined && subscription.channel.kind !== kind) {
      this.#subscriptions.release(subscription);
      throw new UnexpectedState(`${uri} is a ${subscription.channel.kind}, not a ${kind}`);
    }
    return this.#mirror(subscription, subscription.channel);
  }

  /** Subscribes to a channel without state, such as telemetry; its messages come by `onNotification`. The result ends it. */
  async subscribeStateless(uri: URI): Promise<() => void> {
    await this.#subscriptions.holdStateless(uri);
    let isHeld = true;
    return () => {
      if (isHeld) this.#subscriptions.releaseStateless(uri);
      isHeld = false;
    };
  }

  /**
   * Starts a terminal and opens it [TERM-1]. Rejects like `createTerminal` and `subscribe` do; it lives on when only the
   * latter failed.
   */
  createTerminal(options: CreateTerminalOptions = {}): Promise<TerminalHandle> {
    return this.#terminals.create(options);
  }

  /** Opens a terminal that is there; rejects like `subscribe` does. Dispose the handle after use: the terminal goes on. */
  terminal(uri: URI, options: SubscriptionOptions = {}): Promise<TerminalHandle> {
    return this.#terminals.open(uri, options);
  }

  /** The host's list of terminals, kept up to date until disposed of. */
  terminals(): Promise<TerminalCatalogue> {
    return this.#terminals.catalogue();
  }

  /**
   * Dispatches an action, on a channel that may but need not be subscribed. Its effect shows in the mirror at once. The
   * promise never rejects: it resolves when the host has answered, or never will. Without a connection the action waits
   * for one. Throws when the action is malformed enough for its reducer to throw.
   */
  dispatch(uri: URI, action: ClientAction): Promise<DispatchOutcome> {
    const { status } = this;
    if (status.state === 'closed' || status.state === 'replaced') {
      return Promise.resolve({ outcome: 'dropped', reason: status.error.message });
    }
    return this.#dispatcher.dispatch(uri, action);
  }

  /** Calls `listener` for every notification of this method; those sent while disconnected are lost. The result removes it. */
  onNotification<M extends NotificationMethod>(
    method: M,
    listener: (params: HostToClientNotifications[M]) => void,
  ): () => void {
    return this.#messages.on(method, listener);
  }

  /** Serves a request of the host for URIs that this client publishes [RES-4]. Without a handler it answers -32601. */
  handle<M extends HostRequestMethod>(method: M, handler: HostRequestHandler<M> | undefined): void {
    this.#messages.handle(method, handler);
  }

  #mirror<K extends ChannelKind>(subscription: Subscription, channel: Channel<K>): Mirror<K> {
    const { uri } = channel;
    return new Mirror<K>(channel, {
      dispatch: (action: DispatchableAction<K>) => this.dispatch(uri, action),
      fetchOlderTurns: () => this.#fetchOlderTurns(subscription),
      complete: async (text, offset, signal) => {
        const params = { channel: uri, kind: 'userMessage' as const, text, offset };
        return (await this.request('completions', params, { signal })).items;
      },
      readContent: async (resource) => {
        const params = { channel: ROOT_URI, uri: resource, encoding: 'base64' } as const;
        try {
          return await this.request('resourceRead', params);
        } catch (error) {
          if (error instanceof RpcError) return undefined;
          throw error;
        }
      },
      release: () => this.#subscriptions.release(subscription),
    });
  }

  async #fetchOlderTurns(subscription: Subscription): Promise<boolean> {
    subscription.fetching ??= this.#fetchTurns(subscription.channel).finally(() => {
      subscription.fetching = undefined;
    });
    return subscription.fetching;
  }

  async #fetchTurns(channel: Channel<ChannelKind>): Promise<boolean> {
    const cursor = cursorOf(channel.confirmed);
    if (cursor === undefined) return false;
    // The turns come as an envelope ahead of the answer [CHAT-15]; none comes without a window.
    await this.request('fetchTurns', { channel: channel.uri, cursor });
    return cursorOf(channel.confirmed) !== cursor;
  }

  async #ask<M extends keyof ClientToHostRequests>(
    method: M,
    params: ClientToHostRequests[M]['params'],
    options: RequestOptions<ClientToHostRequests[M]['result']>,
  ): Promise<ClientToHostRequests[M]['result']> {
    const { peer } = this.#connection;
    if (peer === undefined) throw this.#notConnected();
    return translated(peer.request(method, params, options));
  }

  async #ping(peer: HostPeer): Promise<void> {
    const mark = this.#dispatcher.mark();
    await peer.request(
      'ping',
      { channel: ROOT_URI },
      { onResult: () => this.#dispatcher.settleBefore(mark) },
    );
  }

  #notConnected(): Error {
    const { status } = this;
    if (status.state === 'closed' || status.state === 'replaced') {
      return new ConnectionLost(status.error.message, { cause: status.error });
    }
    return new ConnectionLost(`not connected (${status.state})`);
  }

  #handshake(peer: HostPeer, online: () => void): Promise<void> {
    return shakeHands(
      peer,
      {
        identity: this.#identity,
        lastSeenServerSeq: this.#feed.lastSeenServerSeq,
        uris: () => this.#subscriptions.uris(),
        plainUris: () => this.#subscriptions.plainUris(),
        initialized: (result) => {
          const { snapshots: _, serverSeq: __, ...host } = result;
          this.#host = host;
          this.#feed.initialized(result);
        },
        replayed: (actions, missing) => this.#feed.replayed(actions, missing),
        restored: (snapshots) => this.#feed.restored(snapshots),
      },
      () => {
        online();
        this.#dispatcher.online(this.#connection.ordinal);
        this.#subscriptions.resubscribeStale();
      },
    );
  }

  #offline(info: CloseInfo): void {
    // What the host found too large would be found so again, for ever.
    const isResendSafe = this.#identity.epoch !== undefined && info.code !== FRAME_TOO_LARGE;
    this.#dispatcher.offline(closeText(info), isResendSafe);
  }
}

const FRAME_TOO_LARGE = 1009;

function cursorOf(state: ChannelState[ChannelKind]): string | undefined {
  return 'turns' in state ? state.turnsNextCursor : undefined;
}

/** Errors of the connection in this package's terms. */
async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ConnectionClosed) throw new ConnectionLost(closeText(error.info), { cause: error });
    throw error;
  }
}
