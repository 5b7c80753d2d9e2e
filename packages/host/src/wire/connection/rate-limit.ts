import { type Clock, steadyNow } from '../../lib/clock.ts';

/** A rate limit: `perSecond` units on average, and the units of `burstSeconds` at once. */
export class RateLimit {
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

  /** Whether units are left, as of the last call of `waitMs`. It reads no clock, because it is called for each message. */
  get hasAny(): boolean {
    return this.#left >= 0;
  }

  /** Whether no units are taken at present. */
  get isFull(): boolean {
    this.waitMs();
    return this.#left >= this.#perSecond() * this.#burstSeconds;
  }

  take(count: number): void {
    this.#left -= count;
  }

  /** Ms until the units of a tenth of a second are available; 0: units are left now. */
  waitMs(): number {
    const now = steadyNow(this.#clock);
    const perSecond = this.#perSecond();
    const back = (Math.max(0, now - this.#at) / 1_000) * perSecond;
    this.#left = Math.min(perSecond * this.#burstSeconds, this.#left + back);
    this.#at = now;
    return this.#left >= 0 ? 0 : Math.ceil(((perSecond / 10 - this.#left) / perSecond) * 1_000);
  }
}
