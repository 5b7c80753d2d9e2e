import { CLOSE_CODES, invalidRequest, isWithinScope, WireError } from '@agenthost/protocol';
import { type AnyMethods, Peer, TRANSPORT_CLOSE } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import type { Roles } from '../../auth/people.ts';
import { steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type EncodedEnvelope, EncodedNotification, type Sink } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { ClientFilesPort } from '../client-files/attachments.ts';
import type { ClientRecord } from '../clients/client-record.ts';
import type { AskClient, ClientWays, FindWays } from '../ways.ts';
import { AnswerSender } from './answer-sender.ts';
import { chatOfClaim } from './chat-of-claim.ts';
import { choicesOf } from './choices.ts';
import type { ConnectionLimits } from './connection-quotas.ts';
import { Translator } from './dialect.ts';
import { Heartbeat } from './heartbeat.ts';
import { Outbox, type OutboxLimits } from './outbox.ts';
import { ReadThrottle, throttled } from './read-throttle.ts';
import { RequestGate } from './request-gate.ts';
import type { SharedMerges } from './shared-envelopes.ts';
import { Sight } from './sight.ts';
import type { SlowReaders } from './slow-readers.ts';
import { SubscribedChannels } from './subscribed-channels.ts';
import type { TokenRateLimit } from './token-rate-limits.ts';

/**
 * Limits for the list entries and object members of one message. 16 MiB of brackets would take seconds and 1 GB to parse. Admins import turns,
 * which may have tens of thousands of tool calls.
 */
const MAX_ELEMENTS = { admin: 2_000_000, other: 100_000 } as const;

/** Files that clients publish [RES-4]. Other schemes may be of files that the sender of a message only refers to. */
const PUBLISHED = /^virtual:/i;

/** A connection after its handshake. */
export interface Online {
  readonly client: ClientRecord;
  /** As negotiated [NEG-1]. */
  readonly version: string;
  /** BCP 47. Default `en` [CHAT-19]. */
  readonly locale: string;
}

/** One accepted connection: its peer, its outbox and its subscriptions. */
export class Connection implements Sink {
  readonly identity: TokenIdentity;
  /** The person of its token; `undefined`: the token has none. */
  readonly person: string | undefined;
  /** What it may see of the host. */
  readonly sight: Sight;
  readonly peer: Peer<AnyMethods, AnyMethods>;
  readonly outbox: Outbox;
  readonly channels: SubscribedChannels;
  /** The sessions with roles that the client was told of last. */
  toldSessions: ReadonlySet<string> = new Set();
  /** Limits the concurrent requests. */
  readonly gate: RequestGate;
  readonly #sync: Sync;
  readonly #onClose: (connection: Connection) => void;
  readonly #transport: ServerTransport;
  readonly #log: Log;
  readonly #throttle: ReadThrottle;
  readonly #heartbeat = new Heartbeat();
  readonly #answers: AnswerSender;
  readonly #findWays: FindWays;
  #ways: ClientWays | undefined;
  #translator: Translator | undefined;
  #online: Online | undefined;
  #isClosed = false;
  #isEnding = false;

  constructor(parts: {
    transport: ServerTransport;
    identity: TokenIdentity;
    person: string | undefined;
    /** The present roles of the person. */
    roles(): Roles;
    sync: Sync;
    timers: Timers;
    log: Log;
    limits: OutboxLimits;
    slowReaders: SlowReaders<Connection>;
    merges: SharedMerges;
    connectionLimits(): ConnectionLimits;
    findWays: FindWays;
    /** The limit that all connections of the token share; `undefined`: none. */
    tokenRateLimit: TokenRateLimit | undefined;
    /** Called with the first output after a flush. */
    onFirst(outbox: Outbox): void;
    /** Called when the transport has written its buffer. */
    onDrained(connection: Connection): void;
    onClose(connection: Connection): void;
    /** Called when the number of subscriptions has changed by `by`. */
    onChannels(identity: TokenIdentity, by: number): void;
  }) {
    this.identity = parts.identity;
    this.person = parts.person;
    this.sight = new Sight(parts.identity.scope, () => parts.roles(), parts.sync.registry);
    this.channels = new SubscribedChannels((by) => parts.onChannels(parts.identity, by));
    this.#sync = parts.sync;
    this.#findWays = parts.findWays;
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
    this.#answers = new AnswerSender({
      path: parts.sync.path,
      outbox: this.outbox,
      charge: (bytes) => this.charge(bytes),
      close: ({ code, reason }) => this.close(code, reason),
      isEnding: () => this.#isEnding,
      isOnline: () => this.isOnline,
    });
    parts.transport.onControlFrame?.(() => this.#throttle.receiveControlFrame());
    this.peer = new Peer<AnyMethods, AnyMethods>(throttled(parts.transport, this.#throttle), {
      maxQueued: parts.connectionLimits().maxPendingMessages,
      maxElements: MAX_ELEMENTS[parts.identity.scope === 'admin' ? 'admin' : 'other'],
      timers: {
        setTimeout: (callback, delayMs) => parts.timers.after(delayMs, callback),
        clearTimeout: (cancel) => typeof cancel === 'function' && cancel(),
      },
      sendResponse: (message) => this.#answers.send(message),
      onError: (error, where) => {
        // A wire error is an answer to the client, not a fault of the host.
        if (error instanceof WireError) parts.log.debug({ error, where }, 'a request was refused');
        else this.logFailure(error, where);
      },
      onClose: () => this.#end(),
    });
  }

  /** Logs an error of the host during a request. */
  logFailure(error: unknown, where: string): void {
    this.#log.error({ error, where }, 'a request failed inside the host');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The state after the handshake; throws `-32600` before it [WIRE-4]. */
  get online(): Online {
    if (this.#online === undefined) throw invalidRequest('initialize or reconnect first');
    return this.#online;
  }

  /** Whether the client may act: hold terminals, offer tools. False for `observe` tokens. */
  get takesPart(): boolean {
    return isWithinScope(this.identity.scope, 'interact');
  }

  get isOnline(): boolean {
    return this.#online !== undefined;
  }

  /** The ways of the client's program; `undefined`: it has none of its own. */
  get ways(): ClientWays | undefined {
    return this.#ways;
  }

  /** How files that the client publishes are read from it [RES-4]. */
  get clientFiles(): ClientFilesPort {
    return {
      isOfTheClient: (uri) => PUBLISHED.test(uri),
      ask: (method, asked, timeoutMs) => this.#ask(method, asked, timeoutMs),
      now: () => steadyNow(this.#sync.clock),
      onUnread: (uri, reason) =>
        this.#log.info(
          { client: this.#online?.client.id, uri, reason },
          'cannot read an attached file from its client',
        ),
    };
  }

  /** Call it with the params of each handshake, before anything else reads them. */
  meet(params: unknown): void {
    this.#ways = this.#findWays(params, (method, asked, timeoutMs) => this.#ask(method, asked, timeoutMs));
  }

  /** Call it when the handshake has succeeded. */
  goOnline(online: Online): void {
    this.#online = online;
    this.#translator = new Translator(online.version, online.client.id, this.#ways, {
      now: () => this.#sync.clock.now(),
      createdAt: (session) => this.#sync.registry.getOf('session', session)?.hostData.summary.createdAt,
      choices: (uri) => choicesOf(this.#sync.registry, uri),
      chatOfClaim: (session, toolCallId) => chatOfClaim(this.#sync.registry, session, toolCallId),
    });
  }

  /** Call it when a handshake has failed after `goOnline`. */
  goOffline(): void {
    this.#online = undefined;
    this.#translator = undefined;
    this.#dropSubscriptions();
    this.outbox.dropHeldEnvelopes();
  }

  /** Converts between the client's version and ours. Throws before the handshake, as `online`. */
  get translator(): Translator {
    if (this.#translator === undefined) throw invalidRequest('initialize or reconnect first');
    return this.#translator;
  }

  get waitingBytes(): number {
    return this.outbox.waitingBytes;
  }

  /** The part of {@link waitingBytes} that the transport does not have yet. */
  get queuedBytes(): number {
    return this.outbox.queuedBytes;
  }

  /** Upper bound of the bytes of answers that the client has not taken. */
  get unreadBytes(): number {
    return this.outbox.responseBytes;
  }

  /** Bytes that the client has taken since it connected. */
  get takenBytes(): number {
    return this.#transport.takenBytes;
  }

  envelope(encoded: EncodedEnvelope, delivery: Parameters<Sink['envelope']>[1]): void {
    if (this.#translator === undefined) return;
    const seen = this.sight.envelope(encoded, this.#online?.client.id);
    if (seen === undefined) return;
    for (const translated of this.#translator.envelopes(seen)) this.outbox.envelope(translated, delivery);
  }

  frame(text: string, kind: 'message' | 'response'): void {
    this.outbox.frame(text, kind);
  }

  notification(notification: EncodedNotification): void {
    if (!this.sight.passes(notification)) return;
    const text = this.#translator?.notification(notification);
    if (text !== undefined) this.outbox.frame(text, 'message');
  }

  /** Sends a notification other than an envelope, in order. */
  notify(method: string, params: object): void {
    this.notification(new EncodedNotification(method, params));
  }

  /** The same, also about a session that the connection no longer sees. */
  tell(method: string, params: object): void {
    const text = this.#translator?.notification(new EncodedNotification(method, params));
    if (text !== undefined) this.outbox.frame(text, 'message');
  }

  /** Asks the client. Rejects with the errors of `Peer.request`. */
  ask(...[method, asked, timeoutMs]: Parameters<AskClient>): Promise<unknown> {
    return this.#ask(method, asked, timeoutMs);
  }

  /** Counts bytes that the client made the host write and send. */
  charge(bytes: number): void {
    this.#throttle.charge(bytes);
  }

  /** Refuses further requests and drops dispatches. The answer to the running request closes the connection. */
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
   * Closes the connection if its client gives no sign of life, or has not completed the handshake within 30 s. Call it every 15 s.
   * `isShakingHands`: whether the handshake runs.
   */
  checkAlive(isShakingHands: boolean): void {
    // A client whose answer waits for the host's own commit is not late.
    const hasHandshake = this.isOnline || isShakingHands || this.#answers.isWaiting;
    const trouble = this.#heartbeat.check(hasHandshake, () => this.#transport.probe?.() ?? true);
    if (trouble === 'noHandshake')
      this.close(CLOSE_CODES.noHandshake, 'no initialize or reconnect within 30 seconds');
    if (trouble !== 'silent') return;
    this.#cut('a client gives no sign of life; its connection is closed', 'no sign of life: reconnect');
  }

  /** Closes the connection because its client does not read its answers, and others wait for the room that they take. */
  cutOff(): void {
    this.#cut('a client does not read its answers; it has to reconnect', 'does not read: reconnect');
  }

  /** Closes the connection because its client reads too slowly. */
  fallBehind(): void {
    this.#cut('a client reads too slowly; it has to reconnect', 'reads too slowly: reconnect');
  }

  #ask(...[method, asked, timeoutMs]: Parameters<AskClient>): Promise<unknown> {
    return this.peer.request(method, asked, { timeoutMs });
  }

  #refuseFlood(): void {
    this.#log.warn({ client: this.#online?.client.id }, 'a client sends more messages than its token allows');
    this.close(
      TRANSPORT_CLOSE.policyViolation,
      'sends more messages than all connections of its token may send (maxMessagesPerSecond)',
    );
    // The client's answer to the close would come behind everything that it has sent.
    this.#transport.terminate();
  }

  #cut(message: string, reason: string): void {
    this.#log.warn({ client: this.#online?.client.id }, message);
    this.close(CLOSE_CODES.slowConsumer, reason);
    // The buffers are full or the client is gone, so a close frame would not arrive soon.
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
