import {
  type AgentHealth,
  type ChannelKind,
  type ClientAction,
  type HostDiskUseResult,
  type HostRequestMethod,
  type HostToClientNotifications,
  isWithinScope,
  type RememberedApproval,
  ROOT_URI,
  type SessionRole,
  type TokenScope,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type CloseInfo, ConnectionClosed, type RequestOptions } from '@agenthost/rpc';
import { Connection, type HostPeer } from './connection/connection.ts';
import type { ConnectionState } from './connection/connection-state.ts';
import { type ClientIdentity, type HostInfo, shakeHands } from './connection/handshake.ts';
import {
  HostMessages,
  type HostRequestHandler,
  type NotificationMethod,
} from './connection/host-messages.ts';
import type { SentRequests } from './connection/sent-requests.ts';
import { ConnectionLost, closeText, UnexpectedState } from './errors.ts';
import type { FileProvider } from './handles/file-provider.ts';
import type { FileWatch, WatchedChanges, WatchOptions } from './handles/file-watch.ts';
import { Files } from './handles/files.ts';
import { type Folder, listFolder, makeFolder } from './handles/folders.ts';
import { Grants } from './handles/grants.ts';
import { PredictedSummaries } from './handles/predicted-summaries.ts';
import { Presence } from './handles/presence.ts';
import { PublishedFiles } from './handles/published-files.ts';
import { Push } from './handles/push.ts';
import { Sessions } from './handles/sessions.ts';
import type { TerminalHandle } from './handles/terminal-handle.ts';
import { type CreateTerminalOptions, type TerminalCatalogue, Terminals } from './handles/terminals.ts';
import { Tokens } from './handles/tokens.ts';
import type { ReportError } from './listeners.ts';
import type { SubscriptionOptions } from './mirror/channel.ts';
import type { KindOf } from './mirror/channel-kind.ts';
import { Dispatcher, type RestoredAction } from './mirror/dispatcher.ts';
import { Feed } from './mirror/feed.ts';
import type { Mirror } from './mirror/mirror.ts';
import { mirrorOf } from './mirror/mirror-of.ts';
import type { DispatchOutcome } from './mirror/pending-actions.ts';
import { Subscriptions } from './mirror/subscriptions.ts';
import { type ClientOptions, resolveOptions } from './options.ts';

/**
 * The request methods that callers may send. The client itself sends the others (`initialize`, `subscribe`
 * and the like).
 */
export type RequestMethod = Exclude<keyof SentRequests, 'initialize' | 'reconnect' | 'subscribe' | 'ping'>;

/**
 * A client of one host. Sends commands, keeps live mirrors of channels and dispatches actions optimistically.
 * It survives dropped connections and restarts of the host. Make one with `connect` (WebSocket) or
 * `createClient` (any transport).
 *
 * @example
 * const client = await connect('http://127.0.0.1:4711', { token });
 * const root = await client.subscribe('ahp-root://');
 * console.log(root.state.agents.map(({ provider }) => provider));
 * client.close();
 */
export class AhpClient {
  /** Creates, opens, lists, searches, exports and imports sessions. */
  readonly sessions: Sessions;
  /** Creates, lists and revokes access tokens. */
  readonly tokens: Tokens;
  /** Reports the presence of this client, and lists the connected clients. */
  readonly presence: Presence;
  /** Registers browsers for Web Push. */
  readonly push: Push;
  /** Reads and changes files of the host's machine. */
  readonly files: Files;
  /** Lists, answers and revokes access to files. */
  readonly grants: Grants;
  readonly #published = new PublishedFiles();
  readonly #terminals: Terminals;
  readonly #report: ReportError;
  #identity: ClientIdentity;
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;
  readonly #subscriptions: Subscriptions;
  readonly #messages: HostMessages;
  readonly #feed: Feed;
  #host: HostInfo | undefined;
  /** The roles of the person of the token, by session. */
  #roles: Readonly<Record<string, SessionRole>> = {};

  constructor(options: ClientOptions) {
    const { clock, random, report, identity, store, holdsActions, newId, address, ...connection } =
      resolveOptions(options);
    this.#identity = identity;
    this.#report = report;
    this.#messages = new HostMessages(report, this.#published);
    const summaries = new PredictedSummaries(report);
    this.#dispatcher = new Dispatcher({
      clock,
      store,
      send: (params) => {
        const peer = holdsActions ? undefined : this.#connection.peer;
        peer?.notify('dispatchAction', params);
        return peer === undefined ? 0 : this.#connection.ordinal;
      },
      ping: () => this.ping(),
      predict: (uri) => this.#subscriptions.predict(uri),
      changed: (channels) => {
        for (const uri of channels) this.#subscriptions.refresh(uri);
      },
      dispatched: (uri, clientSeq, action) => summaries.dispatched(uri, clientSeq, action),
      settled: (uri, clientSeq, outcome) => summaries.settled(uri, clientSeq, outcome),
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
      clientId: () => this.clientId,
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
      if (state.state !== 'closed' && state.state !== 'replaced') return;
      store?.close(state.state === 'closed');
      this.#dispatcher.dropAll(state.error.message);
      if (state.state === 'closed') this.#subscriptions.loseAll();
      // The other client may have the same memory, and continue the same numbers.
      else if (store !== undefined) this.#identity = { ...this.#identity, epoch: newId() };
    });
    this.onNotification('x-rolesChanged', ({ roles }) => {
      this.#roles = roles;
    });
    this.onNotification('root/sessionRemoved', ({ session }) => this.#subscriptions.loseSession(session));
    this.sessions = new Sessions(this, { newId, now: () => clock.now(), report, summaries, address });
    this.tokens = new Tokens(this);
    this.presence = new Presence(this, { clock, report });
    this.push = new Push(this);
    this.files = new Files(this);
    this.grants = new Grants(this);
    this.#terminals = new Terminals(this, newId);
  }

  /**
   * The id by which the host knows this client: in claims, in origins of actions and among active clients.
   */
  get clientId(): string {
    return this.#identity.clientId;
  }

  /**
   * Unanswered actions that this client took over from the memory, the oldest first; see `ClientBehavior.memory`. They are sent again when
   * the client is online, before its own, and mirrors show them until then.
   */
  get restored(): readonly RestoredAction[] {
    return this.#dispatcher.restored;
  }

  /** The present state of the connection, for user interfaces. */
  get status(): ConnectionState {
    return this.#connection.state;
  }

  /** Name, version and features of the host, from `initialize`. `undefined` before the first connection. */
  get host(): HostInfo | undefined {
    return this.#host;
  }

  /**
   * The scope of this client's token. `undefined` before the first connection, and with hosts that have no
   * scopes.
   */
  get scope(): TokenScope | undefined {
    return this.#host?.['x-scope'];
  }

  /** The person of this client's token. `undefined`: it has none. */
  get person(): string | undefined {
    return this.#host?.['x-person'];
  }

  /** The right of this client in a session: the scope of its token, or the role of its person there if that is greater. */
  scopeIn(session: URI): TokenScope | undefined {
    const role = this.#roles[session];
    return role !== undefined && isWithinScope(role, this.scope ?? 'admin') ? role : this.scope;
  }

  /** The `serverSeq` that the next `reconnect` will send. `undefined` before the first connection. */
  get lastSeenServerSeq(): number | undefined {
    return this.#feed.lastSeenServerSeq;
  }

  /** Calls `listener` at every change of `status`. Returns a function that removes it. */
  onStatus(listener: (status: ConnectionState) => void): () => void {
    return this.#connection.onState.add(listener);
  }

  /**
   * Connects for the first time. After that the client reconnects by itself. Rejects with `CannotConnect`,
   * `Unauthorized`, `UntrustedHost` or `HandshakeFailed` when this first attempt fails; the client is then
   * closed.
   */
  connect(): Promise<void> {
    return this.#connection.start();
  }

  /**
   * Reconnects at once: ends a wait for the next attempt, or takes the connection back from a client that
   * replaced this one. Does nothing in other states.
   */
  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  /**
   * Checks at once whether the connection still works. Call it when the network changed, or when a page is
   * shown again (`online`, `visibilitychange`, `pageshow`). Online: sends a ping, and reconnects at once when
   * nothing arrives within `withinMs` (default 2,000). Between attempts: starts the next one. During an
   * attempt to reconnect: starts another one when it is still under way after `withinMs`. Does nothing in
   * other states; a replaced client stays replaced.
   */
  checkNow(withinMs = 2_000): void {
    this.#connection.checkNow(withinMs);
  }

  /**
   * Resolves when the client is online. Rejects with the error of `status` when the client is closed or
   * replaced.
   */
  whenOnline(): Promise<void> {
    return this.#connection.whenOnline();
  }

  /**
   * Closes the connection, disposes all mirrors and drops pending actions. A memory keeps them for the next client. Calling it again does
   * nothing.
   */
  close(): void {
    this.#connection.close();
  }

  /**
   * Sends a command and resolves with its result. A command is never sent twice. On the `mcp://` channel of a server, a client with the capability
   * `mcpApps` sends requests of MCP [MCP-2]. Rejects with `RpcError` (the
   * host's error), `ConnectionLost` (no connection, or it dropped before the answer), `RequestTimeout`, or
   * `RequestAborted` when `options.signal` aborts.
   *
   * @example
   * const { items } = await client.request('listSessions', { channel: 'ahp-root://' });
   */
  request<M extends RequestMethod>(
    method: M,
    params: SentRequests[M]['params'],
    options: Pick<RequestOptions, 'signal' | 'timeoutMs'> = {},
  ): Promise<SentRequests[M]['result']> {
    const { signal, timeoutMs } = options;
    return this.#ask(method, params, { signal, timeoutMs });
  }

  /**
   * Lists the remembered approvals, oldest first: all of them, or those that apply in a session (its URI).
   * Rejects like `request`.
   */
  async approvals(session?: URI): Promise<RememberedApproval[]> {
    const params = { channel: ROOT_URI, ...defined({ session }) } as const;
    return (await this.request('x-listApprovals', params)).items;
  }

  /**
   * Revokes a remembered approval, so that the host asks again. Rejects with `RpcError` -32008 when no
   * approval has this id.
   */
  async revokeApproval(id: string): Promise<void> {
    await this.request('x-revokeApproval', { channel: ROOT_URI, id });
  }

  /**
   * Lists the agents that the host offers or knows, with the reason for each that cannot run. An answer may be a few seconds old; with `refresh` the
   * host checks again. Rejects like `request`; with `RpcError` -32601 if the host does not know the method.
   */
  async agentHealth({ refresh }: { readonly refresh?: boolean } = {}): Promise<AgentHealth[]> {
    const params = { channel: ROOT_URI, ...defined({ refresh }) } as const;
    return (await this.request('x-listAgents', params)).items;
  }

  /** Disk space of the host: its database, its log, and what is free. Rejects like `request`. */
  diskUse(): Promise<HostDiskUseResult> {
    return this.request('x-hostDiskUse', { channel: ROOT_URI });
  }

  /** As `files.list`. */
  listFolder(uri: URI): Promise<Folder> {
    return listFolder(this, uri);
  }

  /** As `files.makeFolder`. */
  makeFolder = (uri: URI): Promise<void> => makeFolder(this, uri);

  /** Watches a file or folder of the host's machine by its `file:` URI. Rejects as `FileWatch.start` says. */
  async watch(
    uri: URI,
    options: WatchOptions,
    onChanges: (changes: WatchedChanges) => void,
  ): Promise<FileWatch> {
    const { FileWatch: Watch } = await import('./handles/file-watch.ts');
    return Watch.start(this, uri, options, { onChanges, onError: this.#report });
  }

  /**
   * Resolves when the host has processed everything that this client sent before [WIRE-4]. Rejects with
   * `ConnectionLost`.
   */
  async ping(): Promise<void> {
    const { peer } = this.#connection;
    if (peer === undefined) throw this.#notConnected();
    await translated(this.#ping(peer));
  }

  /**
   * Subscribes to a channel and returns a live mirror of it. The kind of channel follows from the URI; give
   * `kind` for URIs whose scheme is not the protocol's. Mirrors of one channel share one subscription;
   * options that ask for more widen it for all of them. Rejects with `RpcError` (unknown channel, no
   * permission), `ConnectionLost` or `UnexpectedState`.
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
      throw new UnexpectedState(
        `${uri}: expected a ${kind} channel, got a ${subscription.channel.kind} channel`,
      );
    }
    return mirrorOf(subscription, subscription.channel, this, () =>
      this.#subscriptions.release(subscription),
    );
  }

  /**
   * Subscribes to a channel without state, such as telemetry. Its messages arrive through `onNotification`.
   * Resolves with a function that unsubscribes.
   */
  async subscribeStateless(uri: URI): Promise<() => void> {
    await this.#subscriptions.holdStateless(uri);
    let isHeld = true;
    return () => {
      if (isHeld) this.#subscriptions.releaseStateless(uri);
      isHeld = false;
    };
  }

  /**
   * Starts a terminal and opens it [TERM-1]. Rejects like the commands `createTerminal` and `subscribe`. The
   * terminal keeps running when only the subscription failed.
   */
  createTerminal(options: CreateTerminalOptions = {}): Promise<TerminalHandle> {
    return this.#terminals.create(options);
  }

  /**
   * Opens a running terminal. Rejects like `subscribe`. Close the handle after use; the terminal keeps
   * running.
   */
  terminal(uri: URI, options: SubscriptionOptions = {}): Promise<TerminalHandle> {
    return this.#terminals.open(uri, options);
  }

  /** Opens a live list of the host's terminals. Dispose it after use. */
  terminals(): Promise<TerminalCatalogue> {
    return this.#terminals.catalogue();
  }

  /**
   * Dispatches an action. The channel need not be subscribed. The mirror shows the effect at once. The
   * promise resolves with the outcome and never rejects; without a connection the action waits for one.
   * Throws when the reducer throws for this action.
   */
  dispatch(uri: URI, action: ClientAction): Promise<DispatchOutcome> {
    const { status } = this;
    if (status.state === 'closed' || status.state === 'replaced') {
      return Promise.resolve({ outcome: 'dropped', reason: status.error.message });
    }
    return this.#dispatcher.dispatch(uri, action);
  }

  /**
   * Calls `listener` for every notification with this method. Notifications sent while the client is
   * disconnected are lost. Returns a function that removes the listener.
   */
  onNotification<M extends NotificationMethod>(
    method: M,
    listener: (params: HostToClientNotifications[M]) => void,
  ): () => void {
    return this.#messages.on(method, listener);
  }

  /**
   * Sets the handler of a request from the host, for URIs that this client publishes [RES-4]; `undefined`
   * removes it. Without a handler published files answer, see `publishFiles`; without them the client answers with error -32601.
   */
  handle<M extends HostRequestMethod>(method: M, handler: HostRequestHandler<M> | undefined): void {
    this.#messages.handle(method, handler);
  }

  /**
   * Publishes files under the beginning of their URIs [RES-4], such as `virtual://notes/`. The host reads attachments of this client's messages
   * that begin with `virtual:` (4 MiB for a message, 8 s). Returns a function that ends it. Throws a `TypeError` for an unfit or taken prefix.
   */
  publishFiles(prefix: string, provider: FileProvider): () => void {
    return this.#published.publish(prefix, provider);
  }

  async #ask<M extends keyof SentRequests>(
    method: M,
    params: SentRequests[M]['params'],
    options: RequestOptions<SentRequests[M]['result']>,
  ): Promise<SentRequests[M]['result']> {
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
          this.#roles = host['x-roles'] ?? {};
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
    // The host would refuse a frame that was too large again.
    const isResendSafe = this.#identity.epoch !== undefined && info.code !== FRAME_TOO_LARGE;
    this.#dispatcher.offline(closeText(info), isResendSafe);
  }
}

const FRAME_TOO_LARGE = 1009;

/** Converts errors of the connection to those of this package. */
async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ConnectionClosed) throw new ConnectionLost(closeText(error.info), { cause: error });
    throw error;
  }
}
