import type { Transport } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Identity } from './identity.ts';

/** So many seconds' worth may come at once: a client that resends all it has, a paste, a script in a hurry. */
const BURST_SECONDS = 4;
/** It is looked again after so long at most, so that a close of the other end is seen. */
const MAX_PAUSE_MS = 1_000;

/** What may be read each second, on average, and so many seconds' worth of it at once. */
export class ReadingAllowance {
  readonly #clock: Clock;
  readonly #perSecond: () => number;
  readonly #burstSeconds: number;
  #left: number;
  #at: number;

  constructor(parts: { clock: Clock; perSecond(): number; burstSeconds: number }) {
    this.#clock = parts.clock;
    this.#perSecond = () => parts.perSecond();
    this.#burstSeconds = parts.burstSeconds;
    this.#left = this.#perSecond() * this.#burstSeconds;
    this.#at = steadyNow(this.#clock);
  }

  /** Whether some is left. What is looked at often does not ask the clock each time. */
  get hasAny(): boolean {
    return this.#left >= 0;
  }

  take(count: number): void {
    this.#left -= count;
  }

  /** After so long there is enough again to go on for a tenth of a second; 0: there is. */
  waitMs(): number {
    const now = steadyNow(this.#clock);
    const perSecond = this.#perSecond();
    const back = (Math.max(0, now - this.#at) / 1_000) * perSecond;
    this.#left = Math.min(perSecond * this.#burstSeconds, this.#left + back);
    this.#at = now;
    return this.#left >= 0 ? 0 : Math.ceil(((perSecond / 10 - this.#left) / perSecond) * 1_000);
  }
}

/**
 * Bounds how fast one connection's messages are read: past it the socket is left alone for a while, and the client's own writes wait. An
 * error instead would cut off whoever meets the bound once, lose what was under way, and be answered by a reconnect that costs more
 * than the messages did.
 */
export class ReadingPace {
  readonly #transport: Pick<ServerTransport, 'pause' | 'resume'>;
  readonly #timers: Timers;
  readonly #own: ReadingAllowance;
  readonly #ofToken: ReadingAllowance | undefined;
  #deliver: (frame: string) => void = () => undefined;
  /** What was read before the pause, while it has to wait. */
  #waiting: string[] = [];
  #cancel: Cancel | undefined;
  #isEnded = false;

  /** `ofToken`: what all connections of the token share. What was read beyond it waits too, and goes with the connection. */
  constructor(parts: {
    transport: Pick<ServerTransport, 'pause' | 'resume'>;
    clock: Clock;
    timers: Timers;
    perSecond(): number;
    ofToken?: ReadingAllowance | undefined;
  }) {
    this.#transport = parts.transport;
    this.#timers = parts.timers;
    this.#own = new ReadingAllowance({ ...parts, burstSeconds: BURST_SECONDS });
    this.#ofToken = parts.ofToken;
  }

  start(deliver: (frame: string) => void): void {
    this.#deliver = deliver;
  }

  /** A message has come. */
  took(frame: string): void {
    if (this.#isEnded) return;
    if (this.#waiting.length > 0 || !this.#hasShare()) {
      this.#waiting.push(frame);
      if (this.#cancel === undefined) this.#check();
      return;
    }
    this.#take(frame);
    // What was read before the pause still comes.
    if (!this.#own.hasAny && this.#cancel === undefined && !this.#isEnded) this.#check();
  }

  /** The connection is over. */
  end(): void {
    this.#isEnded = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting = [];
  }

  #take(frame: string): void {
    this.#own.take(1);
    this.#ofToken?.take(weightOf(frame));
    this.#deliver(frame);
  }

  /** Whether the token may be taken something of. */
  #hasShare(): boolean {
    const share = this.#ofToken;
    return share === undefined || share.hasAny || share.waitMs() === 0;
  }

  #check(): void {
    let taken = 0;
    while (taken < this.#waiting.length && this.#hasShare()) {
      const frame = this.#waiting[taken];
      taken += 1;
      if (frame !== undefined) this.#take(frame);
    }
    // The last one may have ended the connection.
    if (this.#isEnded) return;
    this.#waiting.splice(0, taken);
    const waitMs = Math.max(
      this.#own.waitMs(),
      this.#waiting.length > 0 ? (this.#ofToken?.waitMs() ?? 0) : 0,
    );
    if (waitMs === 0) {
      this.#transport.resume?.();
      return;
    }
    this.#transport.pause?.();
    this.#cancel = this.#timers.after(Math.min(MAX_PAUSE_MS, waitMs), () => {
      this.#cancel = undefined;
      this.#check();
    });
  }
}

/** A message of a token that shares what it may send counts once for so many characters: long ones take longer to read. */
const WEIGHT_LENGTH = 256;

const weightOf = (frame: string): number => 1 + Math.floor(frame.length / WEIGHT_LENGTH);

/** So many seconds' worth of a token's share may come at once, to all its connections together. */
const TOKEN_BURST_SECONDS = 1;

/** What the connections of one token may send together, of tokens that may only look: they have little to say. */
export class TokenAllowances {
  readonly #clock: Clock;
  readonly #perSecond: () => number;
  readonly #byToken = new Map<string, { readonly allowance: ReadingAllowance; count: number }>();

  constructor(clock: Clock, perSecond: () => number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** For one more connection; `undefined`: its token shares nothing. */
  enter({ tokenHash, scope }: Identity): ReadingAllowance | undefined {
    if (scope !== 'observe') return undefined;
    const share = this.#byToken.get(tokenHash) ?? {
      allowance: new ReadingAllowance({
        clock: this.#clock,
        perSecond: this.#perSecond,
        burstSeconds: TOKEN_BURST_SECONDS,
      }),
      count: 0,
    };
    share.count += 1;
    this.#byToken.set(tokenHash, share);
    return share.allowance;
  }

  /** A connection is over. A debt stays until it is paid, so that leaving does not end it. */
  leave({ tokenHash }: Identity): void {
    const share = this.#byToken.get(tokenHash);
    if (share === undefined) return;
    share.count -= 1;
    if (share.count === 0 && share.allowance.waitMs() === 0) this.#byToken.delete(tokenHash);
  }
}

/** The transport as a peer takes it, with each message told of. */
export function withPace(transport: Transport, pace: ReadingPace): Transport {
  return {
    send: (frame) => transport.send(frame),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) => {
      pace.start(onFrame);
      transport.start({ onFrame: (frame) => pace.took(frame), onClose });
    },
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
  };
}
