import { channelNotFound, invalidParams, type SubscribeParams, type TokenScope } from '@agenthost/protocol';
import { validateParams } from '@agenthost/protocol/validate';
import { defined } from '@agenthost/protocol/values';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import { SIGNED_OUT, TOKEN_EXPIRED, TOKEN_REVOKED, type TokenIdentity } from '../auth/access-tokens.ts';
import type { People } from '../auth/people.ts';
import { Answer } from '../handler-port/answer.ts';
import type { ChannelModules } from '../handler-port/channel-module.ts';
import type { Commands } from '../handler-port/commands.ts';
import type { StatelessChannels } from '../handler-port/stateless-channels.ts';
import type { JournalStart } from '../journal/journal.ts';
import type { Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PresentClients } from '../presence/present-clients.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sink } from '../sync/subscription.ts';
import type { Sync } from '../sync/sync.ts';
import type { ClientLives, Departures } from './clients/client-lives.ts';
import { type ClientIds, Clients } from './clients/clients.ts';
import { Connection } from './connection/connection.ts';
import { type ConnectionLimits, ConnectionQuotas } from './connection/connection-quotas.ts';
import { Flushing } from './connection/flushing.ts';
import type { OutboxLimits } from './connection/outbox.ts';
import { SharedMerges } from './connection/shared-envelopes.ts';
import { SlowReaders } from './connection/slow-readers.ts';
import { TokenRateLimits } from './connection/token-rate-limits.ts';
import { AdmissionQueue } from './requests/admission-queue.ts';
import { attachWithSnapshots, detach, type Wanted } from './requests/attach.ts';
import { Dispatcher } from './requests/dispatch.ts';
import { Handshake, type HostFacts } from './requests/handshake.ts';
import { paramsIn, routeRequests, type WireRequests } from './requests/router.ts';
import { SessionRights } from './requests/session-rights.ts';
import { routeSideRequests } from './requests/side-requests.ts';
import { tellRoles } from './requests/tell-roles.ts';
import type { FindWays } from './ways.ts';

/** All connections of a host: accepts them, routes what they send, sends what they get. */
export class Hub {
  readonly #parts: {
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    commands: Commands;
    lives: ClientLives<Connection>;
    departures: Departures;
    presentClients: PresentClients;
    stateless: StatelessChannels;
    findWays: FindWays;
    connectionLimits(): ConnectionLimits;
    people: Pick<People, 'rolesOf'>;
    personOf(tokenHash: string): string | undefined;
    /** Absent: transports are used as they are. */
    wrapTransport?: ((transport: ServerTransport) => ServerTransport) | undefined;
  };
  readonly #clients: Clients<Connection>;
  readonly #handshake: Handshake;
  readonly #dispatcher: Dispatcher;
  readonly #connections = new Set<Connection>();
  readonly #onClosed: ((connection: Sink) => void)[] = [];
  readonly #quotas: ConnectionQuotas;
  readonly #flushing: Flushing;
  readonly #slowReaders: SlowReaders<Connection>;
  readonly #merges = new SharedMerges();
  readonly #admissionQueue: AdmissionQueue<Connection>;
  readonly #rateLimits: TokenRateLimits;
  readonly #rights: SessionRights;

  constructor(parts: {
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    commands: Commands;
    modules: ChannelModules;
    facts: HostFacts;
    lost: JournalStart['lost'];
    bornSeq: number;
    lives: ClientLives<Connection>;
    departures: Departures;
    presentClients: PresentClients;
    stateless: StatelessChannels;
    findWays: FindWays;
    connectionLimits(): ConnectionLimits;
    wrapTransport?: ((transport: ServerTransport) => ServerTransport) | undefined;
    people: Pick<People, 'rolesOf'>;
    /** The person of a token; `undefined`: it has none. */
    personOf(tokenHash: string): string | undefined;
    isReplaced(tokenHash: string): boolean;
    /** Whether a token is the owner's. */
    isOwner(tokenHash: string): boolean;
    /** Whether a token was created by `x-createToken`. */
    isGiven(tokenHash: string): boolean;
  }) {
    const { sync, log, modules } = parts;
    this.#parts = parts;
    this.#clients = new Clients({
      ...parts,
      maxForgettable: () => parts.connectionLimits().maxAwayClientsPerToken,
    });
    this.#admissionQueue = new AdmissionQueue(parts.timers);
    const { timers, limits } = parts;
    this.#flushing = new Flushing(timers);
    this.#rateLimits = new TokenRateLimits({
      clock: sync.clock,
      timers,
      perSecond: () => parts.connectionLimits().maxMessagesPerSecond,
      isGiven: parts.isGiven,
    });
    this.#slowReaders = new SlowReaders({ timers, limits, connections: this.#connections });
    this.#quotas = new ConnectionQuotas({ limits: parts.connectionLimits, isOwner: parts.isOwner });
    this.#handshake = new Handshake({ ...parts, clients: this.#clients, quotas: this.#quotas });
    this.#rights = new SessionRights(sync, parts.facts.terminalCommandPrefix);
    this.#dispatcher = new Dispatcher({ sync, log, modules, rights: this.#rights, clients: this.#clients });
    sync.path.onPublished(() => this.#flushing.flush());
  }

  get clients(): Pick<Clients<Connection>, 'inMemory' | 'refresh' | 'adopt' | 'forgotten'> & ClientIds {
    return this.#clients;
  }

  /** The connection that speaks for a client. */
  connectionOf(clientId: string): Connection | undefined {
    return this.#parts.lives.connectionOf(clientId);
  }

  /** Calls `listener` when a connection has closed. */
  onClosed(listener: (connection: Sink) => void): void {
    this.#onClosed.push(listener);
  }

  /** Open connections by the scope of their tokens. */
  connections(): Record<TokenScope, number> {
    const counts = { none: 0, observe: 0, interact: 0, admin: 0 };
    for (const { identity } of this.#connections) counts[identity.scope] += 1;
    return counts;
  }

  /** Bytes that wait for all clients, responses not counted. */
  outboxBytes(): number {
    let bytes = 0;
    for (const { waitingBytes } of this.#connections) bytes += waitingBytes;
    return bytes;
  }

  /** Returns the reason to refuse one more connection of this token; `undefined`: it is accepted. */
  refusalFor(identity: TokenIdentity): string | undefined {
    return this.#rateLimits.refusalFor(identity) ?? this.#quotas.refusalFor(identity);
  }

  /**
   * The scope whose limits count for the messages of a token: clients that act in some session send what clients of `interact` tokens send.
   */
  limitScopeOf({ scope, tokenHash }: TokenIdentity): Exclude<TokenScope, 'none'> {
    if (scope === 'admin' || scope === 'interact') return scope;
    const roles = this.#parts.people.rolesOf(this.#parts.personOf(tokenHash));
    return [...roles.values()].some((role) => role !== 'observe') ? 'interact' : 'observe';
  }

  /**
   * Call it when the roles of a person have changed, also within a transaction. From then on the person's clients get nothing that they no longer
   * see. Their subscriptions to it end soon, and they are told.
   */
  rolesChanged(person: string): void {
    const { sync } = this.#parts;
    for (const connection of [...this.#connections]) {
      if (connection.person !== person) continue;
      sync.path.afterTurn(() => {
        if (!connection.isOnline || connection.isClosed) return;
        for (const channel of [...connection.channels]) this.#leaveUnseen(connection, channel);
        const tell = (): void => tellRoles(sync, connection);
        sync.path.send(tell, tell);
      });
    }
    this.#parts.presentClients.changed();
  }

  /** Ends the subscription to a channel that the connection does not see. Returns whether it did. */
  #leaveUnseen(connection: Connection, channel: Channel): boolean {
    if (connection.sight.sees(channel)) return false;
    detach(this.#parts.sync, this.#clients, connection, channel.uri);
    return true;
  }

  /** Serves a transport until it closes. */
  accept(transport: ServerTransport, identity: TokenIdentity): Connection {
    const person = this.#parts.personOf(identity.tokenHash);
    const connection = new Connection({
      ...this.#parts,
      transport: this.#parts.wrapTransport?.(transport) ?? transport,
      identity,
      person,
      roles: () => this.#parts.people.rolesOf(person),
      slowReaders: this.#slowReaders,
      merges: this.#merges,
      tokenRateLimit: this.#rateLimits.enter({ ...identity, scope: this.limitScopeOf(identity) }),
      onFirst: (outbox) => this.#flushing.add(outbox),
      onChannels: (by, count) => {
        this.#quotas.subscribed(by, count);
        this.#parts.presentClients.changed();
      },
      onDrained: (drained) => this.#admissionQueue.drained(drained),
      onClose: (closed) => {
        this.#connections.delete(closed);
        this.#parts.presentClients.leave(closed);
        this.#parts.stateless.leave(closed);
        this.#rateLimits.leave(closed.identity);
        this.#quotas.remove(closed);
        this.#handshake.leave(closed);
        this.#admissionQueue.closed(closed);
        this.#slowReaders.closed(closed);
        for (const listener of this.#onClosed) listener(closed);
      },
    });
    this.#connections.add(connection);
    this.#quotas.add(connection);
    routeRequests(connection, {
      commands: this.#parts.commands,
      wire: this.#wireRequests(),
      sync: this.#parts.sync,
      rights: this.#rights,
      inTurn: (asking, work, mostBytes) => this.#admissionQueue.run(asking, work, mostBytes),
    });
    const onNotification = (method: string, run: (params: unknown) => unknown): void =>
      connection.peer.onNotification(method, (params) => {
        const given = paramsIn(connection, method, params);
        if (!(given instanceof Promise)) return run(given);
        // The client sends it again when it is back.
        return given.then((found) => (connection.isClosed ? undefined : run(found)));
      });
    routeSideRequests(connection, this.#parts.stateless);
    onNotification('dispatchAction', (params) => this.#dispatcher.dispatch(connection, params));
    onNotification('unsubscribe', (params) => this.#unsubscribe(connection, params));
    connection.peer.start();
    return connection;
  }

  /** Closes connections without a handshake or without a sign of life. Call it every 15 s. */
  checkAlive(): void {
    for (const connection of [...this.#connections])
      connection.checkAlive(this.#admissionQueue.has(connection));
  }

  /**
   * Closes the connections of a token that has ended [AUTH-1]. `revoking`: the connection that revoked it. It stays open for the answer, which
   * closes it. Other tokens may take over the client ids of a revoked token.
   */
  endToken(tokenHash: string, isRevoked: boolean, revoking?: object): void {
    if (isRevoked) this.#clients.release(tokenHash);
    const { code, reason } = isRevoked ? TOKEN_REVOKED : TOKEN_EXPIRED;
    for (const connection of [...this.#connections]) {
      if (connection.identity.tokenHash !== tokenHash) continue;
      if (connection === revoking) connection.refuseFurther();
      else connection.close(code, reason);
    }
  }

  /** Closes the connections of a browser whose sign-in has ended [AUTH-1]. `signInHash`: the hash of its secret. */
  endSignIn(signInHash: string): void {
    for (const connection of [...this.#connections])
      if (connection.identity.signInHash === signInHash) connection.close(SIGNED_OUT.code, SIGNED_OUT.reason);
  }

  /** Closes every connection. */
  close(code: number, reason: string): void {
    this.#flushing.stop();
    for (const connection of [...this.#connections]) connection.close(code, reason);
  }

  #wireRequests(): WireRequests {
    return {
      initialize: (connection, params) =>
        this.#admissionQueue.run(connection, () =>
          this.#joining(connection, this.#handshake.initialize(connection, params)),
        ),
      reconnect: (connection, params) =>
        this.#admissionQueue.run(connection, () =>
          this.#joining(connection, this.#handshake.reconnect(connection, params), true),
        ),
      subscribe: (connection, params) =>
        this.#admissionQueue.run(connection, () => this.#subscribe(connection, params)),
    };
  }

  /** Lists a client as present once its handshake has succeeded. */
  async #joining(connection: Connection, handshake: Promise<Answer>, isBack = false): Promise<Answer> {
    const answer = await handshake;
    if (!connection.isOnline || connection.isClosed) return answer;
    const { id: clientId, names } = connection.online.client;
    const { channels, identity, person, sight } = connection;
    const { scope } = identity;
    const sees = (uri: string): boolean => sight.seesUri(uri);
    this.#parts.presentClients.join(connection, {
      clientId,
      names,
      person,
      scope,
      channels,
      ...(sight.isWhole ? {} : { sees }),
    });
    connection.toldSessions = new Set(sight.roles.keys());
    // The result of `initialize` has the roles; they may have changed while the client was away.
    if (isBack && person !== undefined) tellRoles(this.#parts.sync, connection);
    return answer;
  }

  async #subscribe(connection: Connection, params: SubscribeParams): Promise<Answer> {
    const { sync, stateless } = this.#parts;
    if (stateless.has(params.channel)) {
      if (!connection.sight.isWhole) throw channelNotFound(params.channel);
      const { scope } = connection.identity;
      const { hasMcpApps } = connection.online.client;
      stateless.subscribe(params.channel, connection, { scope, hasMcpApps, isResumed: false });
      return Answer.behindCommit({});
    }
    const channel = await sync.registry.open(params.channel);
    if (channel === undefined || !connection.sight.sees(channel)) throw channelNotFound(params.channel);
    const refusal = connection.channels.has(channel)
      ? undefined
      : this.#quotas.subscriptionRefusal(connection, 1);
    if (refusal !== undefined) throw invalidParams(`${refusal}; unsubscribe from one first`);
    const wanted = { channel, ...asRemembered(params) };
    const { snapshots } = await attachWithSnapshots({ sync, clients: this.#clients }, connection, [wanted]);
    const [snapshot] = snapshots;
    // The role may have ended meanwhile.
    if (snapshot === undefined || this.#leaveUnseen(connection, channel))
      throw channelNotFound(params.channel);
    if (connection.takesPart)
      this.#parts.departures.subscribed?.(connection.online.client.id, params.channel);
    return Answer.held({ snapshot });
  }

  #unsubscribe(connection: Connection, params: unknown): void {
    if (!connection.isOnline) return;
    const checked = validateParams('unsubscribe', params);
    if (!checked.ok) return;
    const { channel } = checked.params;
    this.#parts.stateless.unsubscribe(channel, connection);
    detach(this.#parts.sync, this.#clients, connection, channel);
    if (connection.takesPart) this.#parts.departures.unsubscribed(connection.online.client.id, channel);
  }
}

/** The known members of `view` and `delivery`. They are stored for as long as the client is remembered. */
function asRemembered({ view, delivery }: SubscribeParams): Pick<Wanted, 'view' | 'delivery'> {
  const { turns } = view ?? {};
  const { maxLatencyMs } = delivery ?? {};
  return {
    view: view && defined({ turns }),
    delivery: delivery && defined({ maxLatencyMs }),
  };
}
