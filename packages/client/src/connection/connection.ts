import type { ClientToHostNotifications, HostToClientNotifications } from '@agenthost/protocol';
import { CLOSE_CODES } from '@agenthost/protocol';
import { type AnyMethods, type CloseInfo, Peer, type Transport } from '@agenthost/rpc';
import { type Clock, steadyNow } from '../clock.ts';
import {
  CannotConnect,
  ClientClosed,
  ConnectionLost,
  closeText,
  HandshakeFailed,
  Replaced,
  Unauthorized,
  UntrustedHost,
} from '../errors.ts';
import { Listeners, type ReportError } from '../listeners.ts';
import { CONNECTION_TRANSITIONS, type ConnectionState } from './connection-state.ts';
import { type Liveness, type LivenessOptions, watchLiveness } from './heartbeat.ts';
import type { SentRequests } from './sent-requests.ts';
import { watchTransport } from './watched-transport.ts';

/** The messages that a client serves. `AhpClient.handle` routes the requests. */
export interface ClientSide {
  readonly requests: AnyMethods['requests'];
  readonly notifications: HostToClientNotifications;
}

/** The messages that a host serves. */
export interface HostSide {
  readonly requests: SentRequests;
  readonly notifications: ClientToHostNotifications;
}

/** The client's end of one connection. */
export type HostPeer = Peer<ClientSide, HostSide>;

/**
 * Delays between attempts to reconnect. A delay doubles from `minMs` up to `maxMs`; a random part of up to
 * one half is subtracted.
 */
export interface BackoffOptions {
  /** First delay, in milliseconds. Default 250. */
  minMs?: number;
  /** Longest delay, in milliseconds. Default 30,000. */
  maxMs?: number;
  /** A connection that stayed online this long resets the delay to `minMs`. Milliseconds. Default 5,000. */
  stableMs?: number;
}

/** Callbacks and configuration of a connection. */
export interface ConnectionOptions {
  /**
   * Opens a transport; must stop when the signal aborts. A rejection with `Unauthorized` or `UntrustedHost`
   * ends all attempts.
   */
  openTransport(signal: AbortSignal): Promise<Transport>;
  /** Registers handlers on a new peer before its first frame arrives. */
  attach(peer: HostPeer): void;
  /** Performs the handshake. Must call `online` synchronously when the host's answer arrives. */
  handshake(peer: HostPeer, online: () => void): Promise<void>;
  /** Sends a ping; resolves with the answer. */
  ping(peer: HostPeer): Promise<void>;
  /** Called when the client is no longer online. */
  onOffline(info: CloseInfo): void;
  clock: Clock;
  /** A random number, 0 ≤ x < 1. */
  random(): number;
  backoff: BackoffOptions;
  liveness: LivenessOptions;
  /** Time limit for opening a transport, in milliseconds. */
  connectTimeoutMs: number;
  report: ReportError;
}

/**
 * An abandoned handshake can reach the host this long afterwards, in milliseconds. If it arrives after the
 * next one, the host takes it for the newer connection and closes the current one as replaced. That
 * replacement is no other client, so the client reconnects.
 */
const STRAY_HANDSHAKE_MS = 300_000;

/** Keeps one connection to a host: connects and reconnects until it is closed, replaced or refused. */
export class Connection {
  readonly onState: Listeners<ConnectionState>;
  readonly #options: ConnectionOptions;
  #state: ConnectionState = { state: 'idle' };
  #peer: HostPeer | undefined;
  #ordinal = 0;
  #attempt = 0;
  #hasBeenOnline = false;
  /** Both by `steadyNow`. */
  #onlineSince = 0;
  /** Until then an abandoned handshake of this client may cause a replacement; it excuses one. */
  #strayUntil = 0;
  #retryTimer: unknown;
  #liveness: Liveness | undefined;
  /** Ends an attempt that `checkNow` found under way. */
  #checkTimer: unknown;
  #opening: AbortController | undefined;
  #first: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.onState = new Listeners(options.report, 'status');
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The peer while online. */
  get peer(): HostPeer | undefined {
    return this.#state.state === 'online' ? this.#peer : undefined;
  }

  /** Number of the current connection, counted from 1. Tells which connection a message was sent on. */
  get ordinal(): number {
    return this.#ordinal;
  }

  /**
   * Starts the first attempt and resolves when online. Rejects when that attempt fails; the connection is
   * then closed.
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state.state !== 'idle')
        throw new Error(`connect() was called in state ${this.#state.state}; it may be called once`);
      this.#first = { resolve, reject };
      this.#connect();
    });
  }

  /** Resolves in the state `online`. Rejects with the error of the state in `closed` and `replaced`. */
  whenOnline(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (state: ConnectionState): boolean => {
        if (state.state === 'online') resolve();
        else if (state.state === 'closed' || state.state === 'replaced') reject(state.error);
        else return false;
        return true;
      };
      if (settle(this.state)) return;
      const stop = this.onState.add((state) => {
        if (settle(state)) stop();
      });
    });
  }

  /** Ends a wait or takes back a replaced connection. Does nothing in other states. */
  reconnectNow(): void {
    const { state } = this.#state;
    if (state !== 'waiting' && state !== 'replaced') return;
    this.#options.clock.clearTimeout(this.#retryTimer);
    this.#connect();
  }

  /** See `AhpClient.checkNow`. */
  checkNow(withinMs: number): void {
    const { state } = this.#state;
    const peer = this.#peer;
    const restart = (): void => {
      if (state === 'connecting') this.#opening?.abort(new CannotConnect('the network changed'));
      else peer?.close(1000, 'no answer');
      this.#reconnectIfWaiting();
    };
    if (state === 'online') this.#liveness?.checkNow(withinMs, restart);
    else if ((state === 'connecting' || state === 'handshaking') && this.#hasBeenOnline)
      this.#checkTimer ??= this.#options.clock.setTimeout(restart, withinMs);
    else this.#reconnectIfWaiting();
  }

  #reconnectIfWaiting(): void {
    if (this.#state.state === 'waiting') this.reconnectNow();
  }

  /** Closes the connection for good. */
  close(error: Error = new ClientClosed()): void {
    if (this.#state.state === 'closed') return;
    this.#options.clock.clearTimeout(this.#retryTimer);
    const opening = this.#opening;
    // Cleared first, so that the abort does not count as a failed attempt.
    this.#opening = undefined;
    opening?.abort(error);
    const peer = this.#peer;
    this.#finish({ state: 'closed', error }, { code: 1000, reason: '' });
    peer?.close();
  }

  #connect(): void {
    this.#attempt += 1;
    this.#move({ state: 'connecting', attempt: this.#attempt });
    const opening = new AbortController();
    this.#opening = opening;
    const { clock, connectTimeoutMs } = this.#options;
    const timer = clock.setTimeout(
      () => opening.abort(new CannotConnect(`opening the connection took more than ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    const isCurrent = (): boolean => this.#opening === opening && this.#state.state === 'connecting';
    // Also covers transports that ignore the signal.
    opening.signal.addEventListener('abort', () => {
      clock.clearTimeout(timer);
      if (isCurrent()) this.#fail(opening.signal.reason);
    });
    this.#options.openTransport(opening.signal).then(
      (transport) => {
        clock.clearTimeout(timer);
        if (isCurrent()) this.#greet(transport);
        else transport.close();
      },
      (error: unknown) => {
        clock.clearTimeout(timer);
        if (isCurrent()) this.#fail(error);
      },
    );
  }

  #greet(transport: Transport): void {
    const { clock, report } = this.#options;
    const watched = watchTransport(transport, clock);
    const peer: HostPeer = new Peer(watched, {
      timers: clock,
      onError: report,
      onClose: (info) => {
        if (this.#peer === peer) this.#onClose(info);
      },
    });
    this.#peer = peer;
    this.#ordinal += 1;
    this.#options.attach(peer);
    this.#move({ state: 'handshaking', attempt: this.#attempt });
    peer.start();
    const online = (): void => {
      if (this.#peer === peer) this.#online(peer, watched.lastFrameAt);
    };
    this.#options.handshake(peer, online).catch((error: unknown) => {
      // The connection closed meanwhile; `#onClose` handled it.
      if (this.#peer !== peer) return;
      this.#peer = undefined;
      peer.close();
      this.#fail(error);
    });
  }

  #online(peer: HostPeer, lastFrameAt: () => number): void {
    const { clock, liveness } = this.#options;
    this.#hasBeenOnline = true;
    this.#liveness = watchLiveness(
      {
        ping: () => this.#options.ping(peer),
        lastFrameAt,
        onDead: () => {
          if (this.#peer === peer) peer.close(1000, 'no answer to ping');
        },
      },
      clock,
      liveness,
    );
    this.#onlineSince = steadyNow(clock);
    this.#move({ state: 'online', since: clock.now() });
    this.#first?.resolve();
    this.#first = undefined;
  }

  #noteStray(): void {
    if (this.#state.state === 'handshaking') {
      this.#strayUntil = steadyNow(this.#options.clock) + STRAY_HANDSHAKE_MS;
    }
  }

  #onClose(info: CloseInfo): void {
    this.#peer = undefined;
    if (info.code !== CLOSE_CODES.replaced) this.#noteStray();
    if (info.code === CLOSE_CODES.replaced && steadyNow(this.#options.clock) < this.#strayUntil) {
      this.#strayUntil = 0;
      this.#retry(new Replaced(), info);
    } else if (info.code === CLOSE_CODES.replaced) {
      this.#finish({ state: 'replaced', error: new Replaced() }, info);
    } else if (info.code === CLOSE_CODES.unauthorized) {
      this.#finish({ state: 'closed', error: new Unauthorized(closeText(info)) }, info);
    } else if (info.code === CLOSE_CODES.unsupportedVersion) {
      this.#finish({ state: 'closed', error: new HandshakeFailed(closeText(info)) }, info);
    } else {
      this.#retry(new ConnectionLost(closeText(info)), info);
    }
  }

  /** Handles a failed attempt. */
  #fail(error: unknown): void {
    this.#noteStray();
    const known = error instanceof Error ? error : new CannotConnect('cannot connect', { cause: error });
    const isFinal =
      known instanceof Unauthorized || known instanceof UntrustedHost || known instanceof HandshakeFailed;
    if (isFinal) this.#finish({ state: 'closed', error: known }, { code: 1006, reason: known.message });
    else this.#retry(known, { code: 1006, reason: known.message });
  }

  #retry(error: Error, info: CloseInfo): void {
    if (!this.#hasBeenOnline) {
      this.#finish({ state: 'closed', error }, info);
      return;
    }
    const { clock, random, backoff } = this.#options;
    const { minMs = 250, maxMs = 30_000, stableMs = 5_000 } = backoff;
    const isStable = steadyNow(clock) - this.#onlineSince >= stableMs;
    if (this.#state.state === 'online' && isStable) this.#attempt = 0;
    const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(this.#attempt, 30));
    const delayMs = Math.round(fullMs * (0.5 + random() / 2));
    this.#retryTimer = clock.setTimeout(() => this.#connect(), delayMs);
    this.#leave(info, {
      state: 'waiting',
      attempt: this.#attempt,
      retryAt: clock.now() + delayMs,
      reason: error.message,
    });
  }

  #finish(next: Extract<ConnectionState, { error: Error }>, info: CloseInfo): void {
    this.#leave(info, next);
    this.#first?.reject(next.error);
    this.#first = undefined;
  }

  #leave(info: CloseInfo, next: ConnectionState): void {
    const wasOnline = this.#state.state === 'online';
    this.#peer = undefined;
    this.#liveness?.stop();
    this.#liveness = undefined;
    if (wasOnline) this.#options.onOffline(info);
    this.#move(next);
  }

  #move(next: ConnectionState): void {
    const from = this.#state.state;
    if (!CONNECTION_TRANSITIONS[from].includes(next.state)) {
      throw new Error(`no transition from ${from} to ${next.state}`);
    }
    this.#state = next;
    this.#options.clock.clearTimeout(this.#checkTimer);
    this.#checkTimer = undefined;
    this.onState.emit(next);
  }
}
