import {
  CLOSE_CODES,
  invalidRequest,
  isWithinScope,
  type SupportedVersion,
  WireError,
} from '@agenthost/protocol';
import { type AnyMethods, Peer, TRANSPORT_CLOSE } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { EncodedEnvelope, type Sink } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { ClientRecord } from '../clients/client-record.ts';
import { RequestGate } from '../requests/request-gate.ts';
import { AnswerSender } from './answer-sender.ts';
import type { ConnectionLimits } from './connection-quotas.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { Heartbeat } from './heartbeat.ts';
import { Outbox, type OutboxLimits } from './outbox.ts';
import { ReadThrottle, throttled } from './read-throttle.ts';
import type { SharedMerges } from './shared-envelopes.ts';
import type { SlowReaders } from './slow-readers.ts';
import { SubscribedChannels } from './subscribed-channels.ts';
import type { TokenRateLimit } from './token-rate-limits.ts';

/**
 * Entries and members of one message: sixteen MiB of brackets would take seconds to read, and a gigabyte. Admins import turns, which may have tens
 * of thousands of tool calls.
 */
const MAX_ELEMENTS = { admin: 2_000_000, other: 100_000 } as const;

/** A connection after its handshake. */
export interface Online {
  readonly client: ClientRecord;
  readonly version: SupportedVersion;
  /** BCP 47; `en` when the client said nothing [CHAT-19]. */
  readonly locale: string;
}

/** One accepted connection: its peer, its outbox, what it subscribed to. */
export class Connection implements Sink {
  readonly identity: TokenIdentity;
  readonly peer: Peer<AnyMethods, AnyMethods>;
  readonly outbox: Outbox;
  readonly channels: SubscribedChannels;
  /** Where concurrent requests wait for their turn. */
  readonly gate: RequestGate;
  readonly #sync: Sync;
  readonly #onClose: (connection: Connection) => void;
  readonly #transport: ServerTransport;
  readonly #log: Log;
  readonly #throttle: ReadThrottle;
  readonly #heartbeat = new Heartbeat();
  #dialect: Dialect | undefined;
  #online: Online | undefined;
  #isClosed = false;
  #isEnding = false;

  constructor(parts: {
    transport: ServerTransport;
    identity: TokenIdentity;
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    slowReaders: SlowReaders<Connection>;
    merges: SharedMerges;
    connectionLimits(): ConnectionLimits;
    /** What it may read of its client, together with the others of its token. */
    tokenRateLimit: TokenRateLimit | undefined;
    /** First output since the last flush. */
    onFirst(outbox: Outbox): void;
    /** The transport has taken what waited. */
    onDrained(connection: Connection): void;
    onClose(connection: Connection): void;
    /** It is subscribed to so many channels more, or, negative, fewer. */
    onChannels(identity: TokenIdentity, by: number): void;
  }) {
    this.identity = parts.identity;
    this.channels = new SubscribedChannels((by) => parts.onChannels(parts.identity, by));
    this.#sync = parts.sync;
    this.#onClose = parts.onClose;
    this.#transport = parts.transport;
    this.#log = parts.log;
    this.outbox = new Outbox({
      transport: parts.transport,
      timers: parts.timers,
      limits: parts.limits,
      onFirst: parts.onFirst,
      onDrained: () => {
        this.gate.resume();
        parts.onDrained(this);
      },
      memory: parts.slowReaders.memory,
      merges: parts.merges,
      onBehind: () => parts.slowReaders.watch(),
      onOverflow: () => this.fallBehind(),
    });
    this.gate = new RequestGate({
      hasRoom: () => this.outbox.hasRoomForResponses,
      afterTurn: (callback) => parts.sync.path.afterTurn(callback),
    });
    this.#throttle = new ReadThrottle({
      transport: parts.transport,
      clock: parts.sync.clock,
      timers: parts.timers,
      perSecond: () => parts.connectionLimits().maxMessagesPerSecond,
      tokenRateLimit: parts.tokenRateLimit,
      onFlood: () => {
        parts.tokenRateLimit?.flooded();
        this.#refuseFlood();
      },
    });
    const answers = new AnswerSender({
      path: parts.sync.path,
      outbox: this.outbox,
      charge: (bytes) => this.charge(bytes),
      close: ({ code, reason }) => this.close(code, reason),
      isEnding: () => this.#isEnding,
    });
    parts.transport.onControlFrame?.(() => this.#throttle.receiveControlFrame());
    this.peer = new Peer<AnyMethods, AnyMethods>(throttled(parts.transport, this.#throttle), {
      maxQueued: parts.connectionLimits().maxPendingMessages,
      maxElements: MAX_ELEMENTS[parts.identity.scope === 'admin' ? 'admin' : 'other'],
      timers: {
        setTimeout: (callback, delayMs) => parts.timers.after(delayMs, callback),
        clearTimeout: (cancel) => typeof cancel === 'function' && cancel(),
      },
      sendResponse: (message) => answers.send(message),
      onError: (error, where) => {
        // What the client is told, or was to be told before it went, is no fault of the host.
        if (error instanceof WireError) parts.log.debug({ error, where }, 'a request was refused');
        else parts.log.error({ error, where }, 'a request failed inside the host');
      },
      onClose: () => this.#end(),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The state after the handshake; throws `-32600` before it [WIRE-4]. */
  get online(): Online {
    if (this.#online === undefined) throw invalidRequest('initialize or reconnect first');
    return this.#online;
  }

  /** False if its token only allows to look. */
  get takesPart(): boolean {
    return isWithinScope(this.identity.scope, 'interact');
  }

  get isOnline(): boolean {
    return this.#online !== undefined;
  }

  /** The handshake has succeeded. */
  goOnline(online: Online): void {
    this.#online = online;
    this.#dialect = dialectOf(online.version);
  }

  /** The handshake has failed after all. */
  goOffline(): void {
    this.#online = undefined;
    this.#dialect = undefined;
    this.#dropSubscriptions();
    this.outbox.dropHeldEnvelopes();
  }

  get dialect(): Dialect {
    return dialectOf(this.online.version);
  }

  get waitingBytes(): number {
    return this.outbox.waitingBytes;
  }

  /** Of {@link waitingBytes} those that the transport does not have yet. */
  get queuedBytes(): number {
    return this.outbox.queuedBytes;
  }

  /** Bytes of answers that the client has not taken: an upper bound. */
  get unreadBytes(): number {
    return this.outbox.responseBytes;
  }

  /** Bytes that the client has taken since it came. */
  get takenBytes(): number {
    return this.#transport.takenBytes;
  }

  envelope(encoded: EncodedEnvelope, delivery: Parameters<Sink['envelope']>[1]): void {
    if (this.#dialect === undefined) return;
    const { value } = encoded;
    // A rejection carries what the client sent.
    const isFit = this.#dialect.isIdentity || value.rejectionReason !== undefined;
    const fitted = isFit ? value : this.#dialect.envelope(value);
    if (fitted === undefined) return;
    this.outbox.envelope(fitted === value ? encoded : new EncodedEnvelope(fitted), delivery);
  }

  frame(text: string, kind: 'message' | 'response'): void {
    this.outbox.frame(text, kind);
  }

  /** Sends a notification that is no envelope, in its place. */
  notify(method: string, params: object): void {
    this.outbox.frame(JSON.stringify({ jsonrpc: '2.0', method, params }), 'message');
  }

  /** Its client made the host write and send so many bytes. */
  charge(bytes: number): void {
    this.#throttle.charge(bytes);
  }

  /** Refuses further requests and drops dispatches. The answer to the present request closes the connection. */
  refuseFurther(): void {
    this.#isEnding = true;
  }

  /** Whether `refuseFurther` was called. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  close(code: number, reason: string): void {
    this.peer.close(code, reason);
  }

  /**
   * To be called every 15 s: a client whose machine or network has gone without a word, or that never reads, is let go, and so is one that
   * says for half a minute not who it is. `isArriving`: its handshake is under way.
   */
  checkAlive(isArriving: boolean): void {
    const isKnown = this.isOnline || isArriving;
    const trouble = this.#heartbeat.check(isKnown, () => this.#transport.probe?.() ?? true);
    if (trouble === 'noHandshake')
      this.close(CLOSE_CODES.noHandshake, 'no initialize or reconnect within 30 seconds');
    if (trouble !== 'silent') return;
    this.#cut('a client gives no sign of life; its connection is closed', 'no sign of life: reconnect');
  }

  /** It does not read its answers, and others wait for the room that they take. */
  cutOff(): void {
    this.#cut('a client does not read its answers; it has to reconnect', 'does not read: reconnect');
  }

  /** It reads too slowly. */
  fallBehind(): void {
    this.#cut('a client reads too slowly; it has to reconnect', 'reads too slowly: reconnect');
  }

  /** It sends faster than its token may. */
  #refuseFlood(): void {
    this.#log.warn({ client: this.#online?.client.id }, 'a client sends more than its token may');
    this.close(
      TRANSPORT_CLOSE.policyViolation,
      'sends more than all connections of its token may together (maxMessagesPerSecond)',
    );
    // Its answer to the close would come behind all that it has sent.
    this.#transport.terminate();
  }

  #cut(message: string, reason: string): void {
    this.#log.warn({ client: this.#online?.client.id }, message);
    this.close(CLOSE_CODES.slowConsumer, reason);
    // Its buffers are full, or it is gone: no close frame would reach it soon.
    this.#transport.terminate();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.outbox.close();
    this.gate.close();
    this.#throttle.end();
    this.#dropSubscriptions();
    this.#onClose(this);
  }

  #dropSubscriptions(): void {
    for (const channel of this.channels) {
      channel.subscriptions.delete(this);
      channel.usedAt = steadyNow(this.#sync.clock);
    }
    this.channels.clear();
  }
}
