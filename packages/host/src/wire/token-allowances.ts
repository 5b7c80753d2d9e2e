import { type Clock, steadyNow } from '../lib/clock.ts';
import type { Identity } from './identity.ts';
import { ReadingAllowance } from './reading-allowance.ts';

/**
 * What the connections of one token share, of `maxMessagesPerSecond`, and seconds' worth of it that may come at once. A message counts once for
 * each `weightLength` characters begun: long ones take longer to read. Tokens that may only look have little to say; the others send pastes
 * and pictures.
 */
const SHARES = {
  observe: { part: 1 / 4, burstSeconds: 4, weightLength: 256 },
  interact: { part: 1, burstSeconds: 4, weightLength: 1024 },
} as const;

/** Characters of messages that wait for the share of one token, on all its connections: one of the largest messages, and half of another. */
export const MOST_WAITING_LENGTH = 24 * 1024 * 1024;

/** So long a token gets no further connection after one of its was closed because it sent too much: coming back costs more than what it sends. */
export const FLOOD_PENALTY_MS = 5_000;

/** What all connections of one token may send together. */
export class TokenShare {
  readonly #clock: Clock;
  readonly #allowance: ReadingAllowance;
  readonly #weightLength: number;
  connectionCount = 0;
  /** Characters of messages that wait for it. */
  waitingLength = 0;
  #floodedAt: number | undefined;

  constructor(scope: keyof typeof SHARES, clock: Clock, perSecond: () => number) {
    const { part, burstSeconds, weightLength } = SHARES[scope];
    this.#allowance = new ReadingAllowance({ clock, perSecond: () => part * perSecond(), burstSeconds });
    this.#weightLength = weightLength;
    this.#clock = clock;
  }

  /** A connection was closed because it sent too much. */
  flooded(): void {
    this.#floodedAt = steadyNow(this.#clock);
  }

  /** Whether that was not long ago. */
  get isPunished(): boolean {
    return this.#floodedAt !== undefined && steadyNow(this.#clock) - this.#floodedAt < FLOOD_PENALTY_MS;
  }

  /** Whether some is left. */
  get hasAny(): boolean {
    return this.#allowance.hasAny;
  }

  take(frame: string): void {
    this.#allowance.take(1 + Math.floor(frame.length / this.#weightLength));
  }

  /** After so long there is some again; 0: there is. */
  waitMs(): number {
    return this.#allowance.waitMs();
  }
}

/** The shares of all tokens but admins'. */
export class TokenAllowances {
  readonly #clock: Clock;
  readonly #perSecond: () => number;
  readonly #byToken = new Map<string, TokenShare>();

  constructor(clock: Clock, perSecond: () => number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** For one more connection; `undefined`: its token shares nothing. */
  enter({ tokenHash, scope }: Identity): TokenShare | undefined {
    if (scope === 'admin') return undefined;
    const share = this.#byToken.get(tokenHash) ?? new TokenShare(scope, this.#clock, this.#perSecond);
    share.connectionCount += 1;
    this.#byToken.set(tokenHash, share);
    return share;
  }

  /** Why a token gets no further connection, for people; `undefined`: it may have one. */
  refusalFor({ tokenHash }: Identity): string | undefined {
    return this.#byToken.get(tokenHash)?.isPunished === true
      ? 'a connection of this token has just sent more than it may (maxMessagesPerSecond)'
      : undefined;
  }

  /** A connection is over. A debt stays until it is paid, so that leaving does not end it. */
  leave({ tokenHash }: Identity): void {
    const share = this.#byToken.get(tokenHash);
    if (share === undefined) return;
    share.connectionCount -= 1;
    if (share.connectionCount === 0 && share.waitMs() === 0 && !share.isPunished)
      this.#byToken.delete(tokenHash);
  }
}
