import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import { RateLimit } from './rate-limit.ts';

/** Characters of a message, or bytes that it makes the host write, that count as one unit of the limit. */
const WEIGHT_LENGTH = 256;

/** Burst of a token, in seconds of its rate, for all its connections together. */
const TOKEN_BURST_SECONDS = { observe: 4, other: 0.25 } as const;

/** Rate of an `observe` token, as a multiple of the rate of one connection. */
const OBSERVE_RATE_FACTOR = 1 / 4;

/**
 * Rate of other tokens, as a multiple of the rate of one connection. By default this allows 10 MB per second, which takes about 100 ms of CPU
 * time.
 */
const OTHER_RATE_FACTOR = 8;

/**
 * Messages of one connection that may wait while the rate of its token is used up. A further one closes the connection. Clients that may act
 * may resend all their pending actions at once.
 */
const MAX_WAITING = { observe: 128, other: 4_096 } as const;

/** Messages that may wait for the rate of one token, on all its connections. */
export const MAX_WAITING_OF_TOKEN = 16_384;

/** Characters of these messages: one and a half of the largest message. */
export const MAX_WAITING_LENGTH = 24 * 1024 * 1024;

/**
 * After a connection was closed because it sent too much, its token gets no new connection for this time. A reconnect costs the host more than
 * the messages did.
 */
export const FLOOD_PENALTY_MS = 5_000;

/**
 * Units that are read in one iteration of the event loop, of all tokens but the owner's: half a MiB, or one longer message. Other work runs in
 * between, even if many tokens send at once.
 */
const TURN_WEIGHT = 2_048;

/** The units left in this iteration of the event loop, and the tokens that wait for the next turn. */
class Turn {
  readonly #timers: Timers;
  #left = TURN_WEIGHT;
  /** By token, the next one first. */
  readonly #waiting = new Map<TokenRateLimit, (() => void)[]>();
  #isNextScheduled = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get hasAny(): boolean {
    return this.#left > 0;
  }

  take(count: number): void {
    this.#left -= count;
    this.#scheduleNext();
  }

  /** Calls back in one of the next turns. Tokens take turns, so that no token waits for all messages of another. */
  wait(limit: TokenRateLimit, callback: () => void): void {
    const callbacks = this.#waiting.get(limit) ?? [];
    callbacks.push(callback);
    this.#waiting.set(limit, callbacks);
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    if (this.#isNextScheduled) return;
    this.#isNextScheduled = true;
    this.#timers.immediate(() => {
      this.#isNextScheduled = false;
      this.#left = TURN_WEIGHT;
      this.#serve();
    });
  }

  #serve(): void {
    for (const [limit, callbacks] of this.#waiting) {
      if (!this.hasAny) return this.#scheduleNext();
      this.#waiting.delete(limit);
      const first = callbacks.shift();
      // The token goes behind the others. This loop reaches it again.
      if (callbacks.length > 0) this.#waiting.set(limit, callbacks);
      first?.();
    }
  }
}

/** The rate limit that all connections of one token limit. */
export class TokenRateLimit {
  readonly #rateLimit: RateLimit;
  readonly #turn: Turn;
  readonly #isCharged: boolean;
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  connectionCount = 0;
  /** Messages that wait for the limit. */
  waitingCount = 0;
  /** Characters of these messages. */
  waitingLength = 0;
  #floodedAt: number | undefined;

  /** `isCharged`: whether bytes that its messages make the host write count too. */
  constructor(parts: {
    rateLimit: RateLimit;
    turn: Turn;
    isCharged: boolean;
    clock: Clock;
    maxWaiting: number;
  }) {
    this.#rateLimit = parts.rateLimit;
    this.#turn = parts.turn;
    this.#isCharged = parts.isCharged;
    this.#clock = parts.clock;
    this.#maxWaiting = parts.maxWaiting;
  }

  /**
   * Messages of one connection that may wait now. While the rate is not used up, they wait only for the turns of other tokens, so more of them
   * may wait.
   */
  get maxWaiting(): number {
    return this.waitMs() === 0 ? MAX_WAITING.other : this.#maxWaiting;
  }

  /** Call it when a connection was closed because it sent too much. */
  flooded(): void {
    this.#floodedAt = steadyNow(this.#clock);
  }

  /** Whether a connection was closed for that within `FLOOD_PENALTY_MS`. */
  get isPunished(): boolean {
    return this.#floodedAt !== undefined && steadyNow(this.#clock) - this.#floodedAt < FLOOD_PENALTY_MS;
  }

  /** Whether a message may be read now. */
  get hasAny(): boolean {
    return this.#turn.hasAny && (this.#rateLimit.hasAny || this.waitMs() === 0);
  }

  /** Ms until the rate allows messages again; 0: in this iteration of the event loop or the next. */
  waitMs(): number {
    return this.#rateLimit.waitMs();
  }

  /** Calls back in the next turn of this token. */
  nextTurn(callback: () => void): Cancel {
    let isCancelled = false;
    this.#turn.wait(this, () => {
      if (!isCancelled) callback();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** Counts a message of `length` characters. */
  take(length: number): void {
    const weight = 1 + Math.floor(length / WEIGHT_LENGTH);
    this.#rateLimit.take(weight);
    this.#turn.take(weight);
  }

  /** Whether a new limit would allow no more than this one, so that this one may be dropped. */
  get isUnused(): boolean {
    return this.connectionCount === 0 && !this.isPunished && this.#rateLimit.isFull;
  }

  /** Counts bytes that a message made the host write and send. */
  charge(bytes: number): void {
    if (this.#isCharged) this.#rateLimit.take(Math.floor(bytes / WEIGHT_LENGTH));
  }
}

/** The rate limits of all tokens. The owner's tokens have none. */
export class TokenRateLimits {
  readonly #clock: Clock;
  readonly #turn: Turn;
  readonly #perSecond: () => number;
  readonly #isGiven: (tokenHash: string) => boolean;
  readonly #byToken = new Map<string, TokenRateLimit>();

  constructor(parts: {
    clock: Clock;
    timers: Timers;
    /** Messages per second of one connection. */
    perSecond(): number;
    /** Whether the token was created by `x-createToken`. */
    isGiven(tokenHash: string): boolean;
  }) {
    this.#clock = parts.clock;
    this.#turn = new Turn(parts.timers);
    this.#perSecond = () => parts.perSecond();
    this.#isGiven = (tokenHash) => parts.isGiven(tokenHash);
  }

  /** Returns the limit for a new connection; `undefined`: its token has none. */
  enter(identity: TokenIdentity): TokenRateLimit | undefined {
    // The owner's token, and the token of a program that embeds the host.
    if (identity.scope === 'admin' && !this.#isGiven(identity.tokenHash)) return undefined;
    const limit = this.#byToken.get(identity.tokenHash) ?? this.#newLimit(identity);
    for (const [tokenHash, other] of this.#byToken) if (other.isUnused) this.#byToken.delete(tokenHash);
    limit.connectionCount += 1;
    this.#byToken.set(identity.tokenHash, limit);
    return limit;
  }

  /** Returns the reason to refuse a new connection of a token; `undefined`: it is accepted. */
  refusalFor({ tokenHash }: TokenIdentity): string | undefined {
    return this.#byToken.get(tokenHash)?.isPunished === true
      ? 'a connection of this token has just sent too many messages (maxMessagesPerSecond)'
      : undefined;
  }

  /** Call it when a connection has closed. Used units stay used, so that a reconnect gains nothing. */
  leave({ tokenHash }: TokenIdentity): void {
    const limit = this.#byToken.get(tokenHash);
    if (limit !== undefined) limit.connectionCount -= 1;
  }

  /** `observe` tokens are not charged: they change nothing, and `AdmissionQueue` limits their answers. */
  #newLimit({ scope }: TokenIdentity): TokenRateLimit {
    const clock = this.#clock;
    const kind = scope === 'observe' ? 'observe' : 'other';
    const factor = scope === 'observe' ? OBSERVE_RATE_FACTOR : OTHER_RATE_FACTOR;
    const perSecond = (): number => factor * this.#perSecond();
    return new TokenRateLimit({
      rateLimit: new RateLimit({ clock, perSecond, burstSeconds: TOKEN_BURST_SECONDS[kind] }),
      turn: this.#turn,
      isCharged: kind === 'other',
      clock,
      maxWaiting: MAX_WAITING[kind],
    });
  }
}
