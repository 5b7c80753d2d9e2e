import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import { RateLimit } from './rate-limit.ts';

/** A message counts once for so many characters, and so do bytes that it made the host write: they take time. */
const WEIGHT_LENGTH = 256;

/** So many seconds' worth of a token's share may come at once, to all its connections together. */
const TOKEN_BURST_SECONDS = { observe: 4, other: 0.25 } as const;

/** The connections of a token that may only look have this part of what one connection has. */
const SHARE_OF_LOOKING = 1 / 4;

/**
 * So many messages of one connection wait for the share of its token once that is used up; one more closes the connection. Whoever may act may
 * resend all that it had under way.
 */
const MOST_WAITING = { observe: 128, other: 4_096 } as const;

/** Messages that wait for the share of one token, on all its connections. */
export const MOST_WAITING_OF_TOKEN = 16_384;

/** Their characters: one of the largest messages, and half of another. */
export const MOST_WAITING_LENGTH = 24 * 1024 * 1024;

/** So long a token gets no further connection after one of its was closed because it sent too much: coming back costs more than what it sends. */
export const FLOOD_PENALTY_MS = 5_000;

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

/** The weight of messages that is left in this turn of the event loop, and the tokens whose messages wait for the next. */
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

  /** Calls back in one of the next turns. Tokens take turns, so that none waits for all that another has sent. */
  wait(share: TokenRateLimit, callback: () => void): void {
    const callbacks = this.#waiting.get(share) ?? [];
    callbacks.push(callback);
    this.#waiting.set(share, callbacks);
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
    for (const [share, callbacks] of this.#waiting) {
      if (!this.hasAny) return this.#scheduleNext();
      this.#waiting.delete(share);
      const first = callbacks.shift();
      // Behind the other tokens, where this loop comes to it again.
      if (callbacks.length > 0) this.#waiting.set(share, callbacks);
      first?.();
    }
  }
}

/** What may be taken of the connections of one token. */
export class TokenRateLimit {
  readonly #rateLimit: RateLimit;
  readonly #turn: Turn;
  readonly #isCharged: boolean;
  readonly #clock: Clock;
  readonly #mostWaiting: number;
  connectionCount = 0;
  /** Messages that wait for it, and their characters. */
  waitingCount = 0;
  waitingLength = 0;
  #floodedAt: number | undefined;

  /** `isCharged`: whether what its messages make the host do counts too. */
  constructor(parts: {
    rateLimit: RateLimit;
    turn: Turn;
    isCharged: boolean;
    clock: Clock;
    mostWaiting: number;
  }) {
    this.#rateLimit = parts.rateLimit;
    this.#turn = parts.turn;
    this.#isCharged = parts.isCharged;
    this.#clock = parts.clock;
    this.#mostWaiting = parts.mostWaiting;
  }

  /** So many messages of one connection may wait now. While the share is not used up they wait for others' turns, which is soon over. */
  get mostWaiting(): number {
    return this.waitMs() === 0 ? MOST_WAITING.other : this.#mostWaiting;
  }

  /** A connection was closed because it sent too much. */
  flooded(): void {
    this.#floodedAt = steadyNow(this.#clock);
  }

  /** Whether that was not long ago. */
  get isPunished(): boolean {
    return this.#floodedAt !== undefined && steadyNow(this.#clock) - this.#floodedAt < FLOOD_PENALTY_MS;
  }

  /** Whether a message may be taken now. */
  get hasAny(): boolean {
    return this.#turn.hasAny && (this.#rateLimit.hasAny || this.waitMs() === 0);
  }

  /** After so long there is enough again; 0: there is, in this turn of the event loop or the next. */
  waitMs(): number {
    return this.#rateLimit.waitMs();
  }

  /** Calls back when it is this token's turn. */
  nextTurn(callback: () => void): Cancel {
    let isCancelled = false;
    this.#turn.wait(this, () => {
      if (!isCancelled) callback();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** A message of so many characters is taken. */
  take(length: number): void {
    const weight = 1 + Math.floor(length / WEIGHT_LENGTH);
    this.#rateLimit.take(weight);
    this.#turn.take(weight);
  }

  /** Whether it may be forgotten: a new one would have no more. */
  get isUnused(): boolean {
    return this.connectionCount === 0 && !this.isPunished && this.#rateLimit.isFull;
  }

  /** A message made the host write and send so many bytes. */
  charge(bytes: number): void {
    if (this.#isCharged) this.#rateLimit.take(Math.floor(bytes / WEIGHT_LENGTH));
  }
}

/** What the connections of each token may make the host do, the owner's aside: tokens that may only look have little to say. */
export class TokenRateLimits {
  readonly #clock: Clock;
  readonly #turn: Turn;
  readonly #perSecond: () => number;
  readonly #isGiven: (tokenHash: string) => boolean;
  readonly #byToken = new Map<string, TokenRateLimit>();

  constructor(parts: {
    clock: Clock;
    timers: Timers;
    /** What one connection may send. */
    perSecond(): number;
    /** Whether the owner gave the token to somebody. */
    isGiven(tokenHash: string): boolean;
  }) {
    this.#clock = parts.clock;
    this.#turn = new Turn(parts.timers);
    this.#perSecond = () => parts.perSecond();
    this.#isGiven = (tokenHash) => parts.isGiven(tokenHash);
  }

  /** For one more connection; `undefined`: nothing bounds its token. */
  enter(identity: TokenIdentity): TokenRateLimit | undefined {
    // The owner's own, and that of a program around the host.
    if (identity.scope === 'admin' && !this.#isGiven(identity.tokenHash)) return undefined;
    const share = this.#byToken.get(identity.tokenHash) ?? this.#newShare(identity);
    for (const [tokenHash, other] of this.#byToken) if (other.isUnused) this.#byToken.delete(tokenHash);
    share.connectionCount += 1;
    this.#byToken.set(identity.tokenHash, share);
    return share;
  }

  /** Why a token gets no further connection, for people; `undefined`: it may have one. */
  refusalFor({ tokenHash }: TokenIdentity): string | undefined {
    return this.#byToken.get(tokenHash)?.isPunished === true
      ? 'a connection of this token has just sent more than it may (maxMessagesPerSecond)'
      : undefined;
  }

  /** A connection is over. What its token has used stays used, so that leaving and coming back gains nothing. */
  leave({ tokenHash }: TokenIdentity): void {
    const share = this.#byToken.get(tokenHash);
    if (share !== undefined) share.connectionCount -= 1;
  }

  /** Tokens that may only look change nothing, and what they ask for has bounds of its own (`AdmissionQueue`). */
  #newShare({ scope }: TokenIdentity): TokenRateLimit {
    const clock = this.#clock;
    const kind = scope === 'observe' ? 'observe' : 'other';
    const part = scope === 'observe' ? SHARE_OF_LOOKING : SHARES_OF_ACTING;
    const perSecond = (): number => part * this.#perSecond();
    return new TokenRateLimit({
      rateLimit: new RateLimit({ clock, perSecond, burstSeconds: TOKEN_BURST_SECONDS[kind] }),
      turn: this.#turn,
      isCharged: kind === 'other',
      clock,
      mostWaiting: MOST_WAITING[kind],
    });
  }
}
