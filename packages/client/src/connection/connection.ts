import type {
  ClientToHostNotifications,
  ClientToHostRequests,
  HostToClientNotifications,
} from '@agenthost/protocol';
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
import { type LivenessOptions, watchLiveness } from './heartbeat.ts';

/** What a client serves: requests are routed by `AhpClient.handle`. */
export interface ClientSide {
  readonly requests: AnyMethods['requests'];
  readonly notifications: HostToClientNotifications;
}

/** What a host serves. */
export interface HostSide {
  readonly requests: ClientToHostRequests;
  readonly notifications: ClientToHostNotifications;
}

/** The client's end of one connection. */
export type HostPeer = Peer<ClientSide, HostSide>;

/** How long to wait before the next attempt: doubling from `minMs` to `maxMs`, the upper half of it by chance. */
export interface BackoffOptions {
  /** Milliseconds. Default 250. */
  minMs?: number;
  /** Milliseconds. Default 30,000. */
  maxMs?: number;
  /** An attempt counts as the first again once a connection stood so many milliseconds. Default 5,000. */
  stableMs?: number;
}

/** What a connection needs. */
export interface ConnectionOptions {
  /** Opens a transport; gives up when the signal aborts. Rejecting with `Unauthorized` or `UntrustedHost` ends all attempts. */
  openTransport(signal: AbortSignal): Promise<Transport>;
  /** Registers handlers on a new peer, before any frame comes. */
  attach(peer: HostPeer): void;
  /** Introduces the client; calls `online` in the very call that brought the host's answer. */
  handshake(peer: HostPeer, online: () => void): Promise<void>;
  /** Asks the host for a sign of life. */
  ping(peer: HostPeer): Promise<void>;
  /** The connection that was online is not any more. */
  onOffline(info: CloseInfo): void;
  clock: Clock;
  /** 0 ≤ x < 1. */
  random(): number;
  backoff: BackoffOptions;
  liveness: LivenessOptions;
  /** Milliseconds for opening a transport. */
  connectTimeoutMs: number;
  report: ReportError;
}

/**
 * How long a handshake that was given up may still reach the host, in milliseconds. If it does so behind the next one, the
 * host takes it for the newer connection and closes the one that is: that is no other client, and no reason to stay away.
 */
const STRAY_HANDSHAKE_MS = 300_000;

/** One connection to a host at a time, again and again, until closed, replaced or refused. */
export class Connection {
  readonly onState: Listeners<ConnectionState>;
  readonly #options: ConnectionOptions;
  #state: ConnectionState = { state: 'idle' };
  #peer: HostPeer | undefined;
  #ordinal = 0;
  #attempt = 0;
  #hasBeenOnline = false;
  /** By `steadyNow`, as the next. */
  #onlineSince = 0;
  /** Until when a stray handshake of our own may replace us; each excuses one replacement. */
  #strayUntil = 0;
  #retryTimer: unknown;
  #stopLiveness: (() => void) | undefined;
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

  /** Counts connections from 1, so that what was sent on an earlier one can be told. */
  get ordinal(): number {
    return this.#ordinal;
  }

  /** Starts; resolves when first online. If the first attempt fails, rejects with why, and the connection is closed. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state.state !== 'idle')
        throw new Error(`a client connects once, this one is ${this.#state.state}`);
      this.#first = { resolve, reject };
      this.#connect();
    });
  }

  /** Ends a wait, or takes back a replaced connection, at once; else does nothing. */
  reconnectNow(): void {
    const { state } = this.#state;
    if (state !== 'waiting' && state !== 'replaced') return;
    this.#options.clock.clearTimeout(this.#retryTimer);
    this.#connect();
  }

  /** Ends it for good. */
  close(error: Error = new ClientClosed()): void {
    if (this.#state.state === 'closed') return;
    this.#options.clock.clearTimeout(this.#retryTimer);
    const opening = this.#opening;
    // Not the current one any more, so that its abort is no failed attempt.
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
      () => opening.abort(new CannotConnect(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    const isCurrent = (): boolean => this.#opening === opening && this.#state.state === 'connecting';
    // Whether the transport heeds the signal or not.
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
    let lastFrameAt = steadyNow(clock);
    const watched: Transport = {
      send: (frame) => transport.send(frame),
      close: (code, reason) => transport.close(code, reason),
      start: ({ onFrame, onClose }) =>
        transport.start({
          onFrame: (frame) => {
            lastFrameAt = steadyNow(clock);
            onFrame(frame);
          },
          onClose,
        }),
      get bufferedBytes() {
        return transport.bufferedBytes;
      },
    };
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
      if (this.#peer === peer) this.#online(peer, () => lastFrameAt);
    };
    this.#options.handshake(peer, online).catch((error: unknown) => {
      // Closed meanwhile: `#onClose` has dealt with it.
      if (this.#peer !== peer) return;
      this.#peer = undefined;
      peer.close();
      this.#fail(error);
    });
  }

  #online(peer: HostPeer, lastFrameAt: () => number): void {
    const { clock, liveness } = this.#options;
    this.#hasBeenOnline = true;
    this.#stopLiveness = watchLiveness(
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

  /** An attempt failed. */
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
    this.#stopLiveness?.();
    this.#stopLiveness = undefined;
    if (wasOnline) this.#options.onOffline(info);
    this.#move(next);
  }

  #move(next: ConnectionState): void {
    const from = this.#state.state;
    if (!CONNECTION_TRANSITIONS[from].includes(next.state)) {
      throw new Error(`no transition from ${from} to ${next.state}`);
    }
    this.#state = next;
    this.onState.emit(next);
  }
}
