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
  readonly #ofToken: TokenShare | undefined;
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
    ofToken?: TokenShare | undefined;
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

  /** A message made the host write and send so many bytes: further messages of the token wait for as long as if it had sent them. */
  charge(bytes: number): void {
    this.#ofToken?.charge(bytes);
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
    this.#ofToken?.take(frame.length);
    this.#deliver(frame);
  }

  /** Whether the token may be taken something of. */
  #hasShare(): boolean {
    return this.#ofToken?.hasAny ?? true;
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
    const isWaiting = this.#waiting.length > 0;
    const waitMs = Math.max(this.#own.waitMs(), isWaiting ? (this.#ofToken?.waitMs() ?? 0) : 0);
    if (waitMs === 0 && !isWaiting) {
      this.#transport.resume?.();
      return;
    }
    this.#transport.pause?.();
    if (waitMs === 0) this.#checkNextTurn();
    else
      this.#cancel = this.#timers.after(Math.min(MAX_PAUSE_MS, waitMs), () => {
        this.#cancel = undefined;
        this.#check();
      });
  }

  #checkNextTurn(): void {
    let isCancelled = false;
    this.#cancel = () => {
      isCancelled = true;
    };
    this.#timers.immediate(() => {
      if (isCancelled) return;
      this.#cancel = undefined;
      this.#check();
    });
  }
}

/** A message counts once for so many characters, and so do bytes that it made the host write: they take time. */
const WEIGHT_LENGTH = 256;

/** So many seconds' worth of a token's share may come at once, to all its connections together. */
const TOKEN_BURST_SECONDS = { observe: 1, other: 0.25 } as const;

/**
 * The connections of a token that may act have so many times what one connection has: by default 10 MB a second, some 100 ms of a
 * processor.
 */
const SHARES_OF_ACTING = 8;

/**
 * What is taken in one turn of the event loop of all tokens but the owner's, counted like their shares: half a MiB, or one message that is longer. Others are
 * answered in between, however many tokens send at once.
 */
const TURN_WEIGHT = 2_048;

/** What may still be taken in this turn of the event loop. */
class Turn {
  readonly #timers: Timers;
  #left = TURN_WEIGHT;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get hasAny(): boolean {
    return this.#left > 0;
  }

  take(count: number): void {
    if (this.#left === TURN_WEIGHT)
      this.#timers.immediate(() => {
        this.#left = TURN_WEIGHT;
      });
    this.#left -= count;
  }
}

/** What may be taken of the connections of one token. */
export class TokenShare {
  readonly #allowance: ReadingAllowance;
  readonly #turn: Turn;
  connectionCount = 0;

  constructor(allowance: ReadingAllowance, turn: Turn) {
    this.#allowance = allowance;
    this.#turn = turn;
  }

  /** Whether a message may be taken now. */
  get hasAny(): boolean {
    return this.#turn.hasAny && (this.#allowance.hasAny || this.waitMs() === 0);
  }

  /** After so long there is enough again; 0: there is, in this turn of the event loop or the next. */
  waitMs(): number {
    return this.#allowance.waitMs();
  }

  /** A message of so many characters is taken. */
  take(length: number): void {
    const weight = 1 + Math.floor(length / WEIGHT_LENGTH);
    this.#allowance.take(weight);
    this.#turn.take(weight);
  }

  charge(bytes: number): void {
    this.#allowance.take(Math.floor(bytes / WEIGHT_LENGTH));
  }
}

/** What the connections of each token may make the host do, the owner's aside: tokens that may only look have little to say. */
export class TokenAllowances {
  readonly #clock: Clock;
  readonly #turn: Turn;
  readonly #perSecond: () => number;
  readonly #isOwner: (tokenHash: string) => boolean;
  readonly #byToken = new Map<string, TokenShare>();

  constructor(parts: {
    clock: Clock;
    timers: Timers;
    /** What one connection may send. */
    perSecond(): number;
    isOwner(tokenHash: string): boolean;
  }) {
    this.#clock = parts.clock;
    this.#turn = new Turn(parts.timers);
    this.#perSecond = () => parts.perSecond();
    this.#isOwner = (tokenHash) => parts.isOwner(tokenHash);
  }

  /** For one more connection; `undefined`: nothing bounds its token. */
  enter(identity: Identity): TokenShare | undefined {
    if (this.#isOwner(identity.tokenHash)) return undefined;
    const share =
      this.#byToken.get(identity.tokenHash) ?? new TokenShare(this.#newAllowance(identity), this.#turn);
    share.connectionCount += 1;
    this.#byToken.set(identity.tokenHash, share);
    return share;
  }

  /** A connection is over. A debt stays until it is paid, so that leaving does not end it. */
  leave({ tokenHash }: Identity): void {
    const share = this.#byToken.get(tokenHash);
    if (share === undefined) return;
    share.connectionCount -= 1;
    if (share.connectionCount === 0 && share.waitMs() === 0) this.#byToken.delete(tokenHash);
  }

  #newAllowance({ scope }: Identity): ReadingAllowance {
    const clock = this.#clock;
    return scope === 'observe'
      ? new ReadingAllowance({ clock, perSecond: this.#perSecond, burstSeconds: TOKEN_BURST_SECONDS.observe })
      : new ReadingAllowance({
          clock,
          perSecond: () => SHARES_OF_ACTING * this.#perSecond(),
          burstSeconds: TOKEN_BURST_SECONDS.other,
        });
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
