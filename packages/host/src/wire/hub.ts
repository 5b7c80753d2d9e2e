import { CLOSE_CODES, channelNotFound, invalidParams, type SubscribeParams } from '@agenthost/protocol';
import { validateParams } from '@agenthost/protocol/validate';
import type { RequestContext } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { TokenAsker } from '../auth/access-tokens.ts';
import type { ChannelModules } from '../channels/module.ts';
import type { JournalStart } from '../journal/journal.ts';
import type { Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sync } from '../sync/sync.ts';
import { Arrivals } from './arrivals.ts';
import { attachWithSnapshots, detach } from './attach.ts';
import { Clients } from './clients.ts';
import { Connection, type Identity } from './connection.ts';
import { Dispatcher } from './dispatch.ts';
import { Handshake, type HostFacts } from './handshake.ts';
import type { ConnectionLimits } from './limits.ts';
import type { Outbox, OutboxLimits } from './outbox.ts';
import type { Departures, Presence } from './presence.ts';
import { type Commands, routeRequests, type WireRequests } from './router.ts';

/** All connections of a host: accepts them, routes what they send, sends what they get. */
export class Hub {
  readonly #parts: {
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    commands: Commands;
    departures: Departures;
    connectionLimits(): ConnectionLimits;
  };
  readonly #clients: Clients;
  readonly #handshake: Handshake;
  readonly #dispatcher: Dispatcher;
  readonly #connections = new Set<Connection>();
  /** How many of them each token brought. */
  readonly #countByToken = new Map<string, number>();
  readonly #unflushed = new Set<Outbox>();
  readonly #arrivals: Arrivals<Connection>;

  constructor(parts: {
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    commands: Commands;
    modules: ChannelModules;
    facts: HostFacts;
    lost: JournalStart['lost'];
    presence: Presence;
    departures: Departures;
    connectionLimits(): ConnectionLimits;
    isReplaced(tokenHash: string): boolean;
  }) {
    const { sync, log, modules } = parts;
    this.#parts = parts;
    this.#clients = new Clients(sync);
    this.#arrivals = new Arrivals(parts.timers);
    this.#handshake = new Handshake({ ...parts, clients: this.#clients });
    this.#dispatcher = new Dispatcher({ sync, log, modules, clients: this.#clients });
    sync.path.onPublished(() => this.#flush());
  }

  /** Who is remembered because it is connected. */
  get clients(): Pick<Clients, 'present' | 'refresh'> {
    return this.#clients;
  }

  /** Why there is no room for one more connection of this token, for people; `undefined`: there is. */
  refusalFor({ tokenHash }: Identity): string | undefined {
    const { maxConnections, maxConnectionsPerToken } = this.#parts.connectionLimits();
    if (this.#connections.size >= maxConnections) {
      return `the host has ${maxConnections} connections, the most it takes (maxConnections)`;
    }
    return (this.#countByToken.get(tokenHash) ?? 0) < maxConnectionsPerToken
      ? undefined
      : `this token has ${maxConnectionsPerToken} connections, the most it may (maxConnectionsPerToken)`;
  }

  /** Serves a transport until it closes. */
  accept(transport: ServerTransport, identity: Identity): Connection {
    const connection = new Connection({
      ...this.#parts,
      transport,
      identity,
      onFirst: (outbox) => this.#unflushed.add(outbox),
      onDrained: (drained) => this.#arrivals.drained(drained),
      onClose: (closed) => {
        this.#connections.delete(closed);
        this.#countToken(identity.tokenHash, -1);
        this.#handshake.leave(closed);
        this.#arrivals.closed(closed);
      },
    });
    this.#connections.add(connection);
    this.#countToken(identity.tokenHash, 1);
    routeRequests(connection, this.#parts.commands, this.#wireRequests());
    connection.peer.onNotification('dispatchAction', (params) =>
      this.#dispatcher.dispatch(connection, params),
    );
    connection.peer.onNotification('unsubscribe', (params) => this.#unsubscribe(connection, params));
    connection.peer.start();
    return connection;
  }

  /** Lets go of clients that are gone without a word, or say none. To be called every 15 s. */
  checkAlive(): void {
    for (const connection of [...this.#connections]) connection.checkAlive(this.#arrivals.has(connection));
  }

  /** Ends all that came by a token, `asker` last; with `isRevoked` its client ids are for others to take, too [AUTH-1]. */
  endToken(tokenHash: string, isRevoked: boolean, asker?: TokenAsker): void {
    if (isRevoked) this.#clients.release(tokenHash);
    const reason = isRevoked ? 'the token was revoked' : 'the token has expired';
    for (const connection of [...this.#connections]) {
      if (connection.identity.tokenHash !== tokenHash) continue;
      if (connection === asker?.connection)
        connection.endAfter(asker.answered, CLOSE_CODES.unauthorized, reason);
      else connection.close(CLOSE_CODES.unauthorized, reason);
    }
  }

  /** Closes every connection. */
  close(code: number, reason: string): void {
    for (const connection of [...this.#connections]) connection.close(code, reason);
  }

  #countToken(tokenHash: string, by: 1 | -1): void {
    const count = (this.#countByToken.get(tokenHash) ?? 0) + by;
    if (count === 0) this.#countByToken.delete(tokenHash);
    else this.#countByToken.set(tokenHash, count);
  }

  #wireRequests(): WireRequests {
    return {
      initialize: (connection, params, context) =>
        this.#arrivals.run(connection, () => this.#handshake.initialize(connection, params, context)),
      reconnect: (connection, params, context) =>
        this.#arrivals.run(connection, () => this.#handshake.reconnect(connection, params, context)),
      subscribe: (connection, params, context) =>
        this.#arrivals.run(connection, () => this.#subscribe(connection, params, context)),
    };
  }

  async #subscribe(connection: Connection, params: SubscribeParams, context: RequestContext): Promise<void> {
    const { sync } = this.#parts;
    const channel = await sync.registry.open(params.channel);
    if (channel === undefined) throw channelNotFound(params.channel);
    const { maxSubscriptions } = this.#parts.connectionLimits();
    if (!connection.channels.has(channel) && connection.channels.size >= maxSubscriptions) {
      throw invalidParams(
        `At most ${maxSubscriptions} subscriptions a connection (maxSubscriptions); unsubscribe from one first`,
      );
    }
    const wanted = { channel, view: params.view, delivery: params.delivery };
    try {
      const { snapshots } = await attachWithSnapshots(sync, this.#clients, connection, [wanted]);
      const [snapshot] = snapshots;
      if (snapshot === undefined) throw channelNotFound(params.channel);
      connection.respondHeld(context, { snapshot });
    } catch (error) {
      connection.outbox.release();
      throw error;
    }
  }

  #unsubscribe(connection: Connection, params: unknown): void {
    if (!connection.isOnline) return;
    const checked = validateParams('unsubscribe', params);
    if (!checked.ok) return;
    const { channel } = checked.params;
    detach(this.#parts.sync, this.#clients, connection, channel);
    this.#parts.departures.unsubscribed(connection.online.client.id, channel);
  }

  #flush(): void {
    for (const outbox of this.#unflushed) outbox.flush();
    this.#unflushed.clear();
  }
}
