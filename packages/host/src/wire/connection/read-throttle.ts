import type { Transport } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import { RateLimit } from './rate-limit.ts';
import { MAX_WAITING_LENGTH, MAX_WAITING_OF_TOKEN, type TokenRateLimit } from './token-rate-limits.ts';

/** Burst of one connection, in seconds of its rate: a client that resends its pending actions, a paste, a script. */
const BURST_SECONDS = 4;
/** Longest pause before the limits are checked again, so that a close by the client is noticed. */
const MAX_PAUSE_MS = 1_000;

/**
 * Throttles the messages of one connection. Above the limit the host pauses reading from the socket, so the client's own writes wait
 * (backpressure). An error instead would close connections that reach the limit once, lose their pending messages, and cause a reconnect that
 * costs more than the messages.
 */
export class ReadThrottle {
  readonly #transport: Pick<ServerTransport, 'pause' | 'resume'>;
  readonly #timers: Timers;
  readonly #own: RateLimit;
  readonly #tokenRateLimit: TokenRateLimit | undefined;
  readonly #onFlood: () => void;
  #deliver: (frame: string) => void = () => undefined;
  /** Messages that were read before the pause and wait. */
  #waiting: string[] = [];
  #waitingCount = 0;
  #waitingLength = 0;
  /** Consecutive control frames that arrived while the rate of the token was used up. */
  #lateControlFrames = 0;
  #cancel: Cancel | undefined;
  #isChecking = false;
  #isEnded = false;

  /** Messages above `tokenRateLimit` wait too. They are dropped when the connection closes. */
  constructor(parts: {
    transport: Pick<ServerTransport, 'pause' | 'resume'>;
    clock: Clock;
    timers: Timers;
    perSecond(): number;
    tokenRateLimit?: TokenRateLimit | undefined;
    /** Called when too many or too long messages wait for the token's limit: close the connection. */
    onFlood?(): void;
  }) {
    this.#transport = parts.transport;
    this.#timers = parts.timers;
    this.#own = new RateLimit({ ...parts, burstSeconds: BURST_SECONDS });
    this.#tokenRateLimit = parts.tokenRateLimit;
    this.#onFlood = () => parts.onFlood?.();
  }

  start(deliver: (frame: string) => void): void {
    this.#deliver = deliver;
  }

  /** Takes a received message. */
  receive(frame: string): void {
    if (this.#isEnded) return;
    if (this.#waiting.length > 0 || !this.#mayRead()) {
      if (!this.#mayWait(frame)) return this.#onFlood();
      this.#waiting.push(frame);
      this.#countWaiting(1, frame.length);
      this.#checkSoon();
      return;
    }
    this.#take(frame);
    // Messages that were read before the pause still arrive.
    if (!this.#own.hasAny && !this.#isEnded) this.#checkSoon();
  }

  /** Counts a received ping or pong of the WebSocket. It was answered already. */
  receiveControlFrame(): void {
    const limit = this.#tokenRateLimit;
    if (this.#isEnded || limit === undefined) return;
    if (limit.hasAny) {
      this.#lateControlFrames = 0;
      limit.take(0);
      return;
    }
    this.#lateControlFrames += 1;
    if (this.#lateControlFrames > limit.maxWaiting) this.#onFlood();
    else this.#checkSoon();
  }

  /** Counts bytes that a message made the host write and send, as if the client had sent them. */
  charge(bytes: number): void {
    this.#tokenRateLimit?.charge(bytes);
  }

  /** Call it when the connection has closed. */
  end(): void {
    this.#isEnded = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#countWaiting(-this.#waitingCount, -this.#waitingLength);
    this.#waiting = [];
  }

  #mayWait({ length }: string): boolean {
    const limit = this.#tokenRateLimit;
    if (limit === undefined) return true;
    return (
      this.#waiting.length < limit.maxWaiting &&
      limit.waitingCount < MAX_WAITING_OF_TOKEN &&
      limit.waitingLength + length <= MAX_WAITING_LENGTH
    );
  }

  #countWaiting(count: number, length: number): void {
    this.#waitingCount += count;
    this.#waitingLength += length;
    if (this.#tokenRateLimit === undefined) return;
    this.#tokenRateLimit.waitingCount += count;
    this.#tokenRateLimit.waitingLength += length;
  }

  #take(frame: string): void {
    this.#own.take(1);
    this.#tokenRateLimit?.take(frame.length);
    this.#deliver(frame);
  }

  /** Whether the limit of the token allows a message now. */
  #mayRead(): boolean {
    return this.#tokenRateLimit?.hasAny ?? true;
  }

  /** Checks now, unless a check runs or is scheduled. */
  #checkSoon(): void {
    if (this.#cancel === undefined && !this.#isChecking) this.#check();
  }

  #check(): void {
    let taken = 0;
    // An in-memory transport may deliver the next message while one is handled.
    this.#isChecking = true;
    while (taken < this.#waiting.length && this.#mayRead()) {
      const frame = this.#waiting[taken];
      taken += 1;
      if (frame === undefined) continue;
      this.#countWaiting(-1, -frame.length);
      this.#take(frame);
    }
    this.#isChecking = false;
    // The last message may have closed the connection.
    if (this.#isEnded) return;
    this.#waiting.splice(0, taken);
    const isLate = this.#waiting.length + this.#lateControlFrames > 0;
    const waitMs = Math.max(this.#own.waitMs(), isLate ? (this.#tokenRateLimit?.waitMs() ?? 0) : 0);
    if (waitMs === 0 && this.#waiting.length === 0) {
      this.#transport.resume?.();
      return;
    }
    this.#transport.pause?.();
    const again = (): void => {
      this.#cancel = undefined;
      this.#check();
    };
    this.#cancel =
      waitMs === 0
        ? this.#tokenRateLimit?.nextTurn(again)
        : this.#timers.after(Math.min(MAX_PAUSE_MS, waitMs), again);
  }
}

/** Wraps a transport so that its messages pass through a throttle. */
export function throttled(transport: Transport, throttle: ReadThrottle): Transport {
  return {
    send: (frame) => transport.send(frame),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) => {
      throttle.start(onFrame);
      transport.start({ onFrame: (frame) => throttle.receive(frame), onClose });
    },
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
  };
}
