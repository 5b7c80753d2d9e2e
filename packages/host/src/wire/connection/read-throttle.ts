import type { Transport } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import { RateLimit } from './rate-limit.ts';
import { MOST_WAITING_LENGTH, MOST_WAITING_OF_TOKEN, type TokenRateLimit } from './token-rate-limits.ts';

/** So many seconds' worth may come at once: a client that resends all it has, a paste, a script in a hurry. */
const BURST_SECONDS = 4;
/** It is looked again after so long at most, so that a close of the other end is seen. */
const MAX_PAUSE_MS = 1_000;

/**
 * Bounds how fast one connection's messages are read: past it the socket is left alone for a while, and the client's own writes wait. An
 * error instead would cut off whoever meets the bound once, lose what was under way, and be answered by a reconnect that costs more
 * than the messages did.
 */
export class ReadThrottle {
  readonly #transport: Pick<ServerTransport, 'pause' | 'resume'>;
  readonly #timers: Timers;
  readonly #own: RateLimit;
  readonly #tokenRateLimit: TokenRateLimit | undefined;
  readonly #onFlood: () => void;
  #deliver: (frame: string) => void = () => undefined;
  /** What was read before the pause, while it has to wait. */
  #waiting: string[] = [];
  #waitingCount = 0;
  #waitingLength = 0;
  /** Control frames in a row that came though the token's share was used up. */
  #lateControlFrames = 0;
  #cancel: Cancel | undefined;
  #isChecking = false;
  #isEnded = false;

  /** `tokenRateLimit`: what all connections of the token share. What was read beyond it waits too, and goes with the connection. */
  constructor(parts: {
    transport: Pick<ServerTransport, 'pause' | 'resume'>;
    clock: Clock;
    timers: Timers;
    perSecond(): number;
    tokenRateLimit?: TokenRateLimit | undefined;
    /** More messages than may, or too long ones, wait for the token's share: close the connection. */
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

  /** A message has come. */
  took(frame: string): void {
    if (this.#isEnded) return;
    if (this.#waiting.length > 0 || !this.#hasShare()) {
      if (!this.#mayWait(frame)) return this.#onFlood();
      this.#waiting.push(frame);
      this.#countWaiting(1, frame.length);
      this.#checkSoon();
      return;
    }
    this.#take(frame);
    // What was read before the pause still comes.
    if (!this.#own.hasAny && !this.#isEnded) this.#checkSoon();
  }

  /** A ping or pong of the carrier has come. It was answered already. */
  tookControlFrame(): void {
    const share = this.#tokenRateLimit;
    if (this.#isEnded || share === undefined) return;
    if (share.hasAny) {
      this.#lateControlFrames = 0;
      share.take(0);
      return;
    }
    this.#lateControlFrames += 1;
    if (this.#lateControlFrames > share.mostWaiting) this.#onFlood();
    else this.#checkSoon();
  }

  /** A message made the host write and send so many bytes: further messages of the token wait for as long as if it had sent them. */
  charge(bytes: number): void {
    this.#tokenRateLimit?.charge(bytes);
  }

  /** The connection is over. */
  end(): void {
    this.#isEnded = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#countWaiting(-this.#waitingCount, -this.#waitingLength);
    this.#waiting = [];
  }

  #mayWait({ length }: string): boolean {
    const share = this.#tokenRateLimit;
    if (share === undefined) return true;
    return (
      this.#waiting.length < share.mostWaiting &&
      share.waitingCount < MOST_WAITING_OF_TOKEN &&
      share.waitingLength + length <= MOST_WAITING_LENGTH
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

  /** Whether the token may be taken something of. */
  #hasShare(): boolean {
    return this.#tokenRateLimit?.hasAny ?? true;
  }

  /** Unless that is under way, or comes by itself. */
  #checkSoon(): void {
    if (this.#cancel === undefined && !this.#isChecking) this.#check();
  }

  #check(): void {
    let taken = 0;
    // A transport inside the process may bring the next message while one is handled.
    this.#isChecking = true;
    while (taken < this.#waiting.length && this.#hasShare()) {
      const frame = this.#waiting[taken];
      taken += 1;
      if (frame === undefined) continue;
      this.#countWaiting(-1, -frame.length);
      this.#take(frame);
    }
    this.#isChecking = false;
    // The last one may have ended the connection.
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

/** The transport as a peer takes it, with each message told of. */
export function throttled(transport: Transport, throttle: ReadThrottle): Transport {
  return {
    send: (frame) => transport.send(frame),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) => {
      throttle.start(onFrame);
      transport.start({ onFrame: (frame) => throttle.took(frame), onClose });
    },
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
  };
}
