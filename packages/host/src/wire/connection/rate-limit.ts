import { type Clock, steadyNow } from '../../lib/clock.ts';

/** What may be read each second, on average, and so many seconds' worth of it at once. */
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

  /** Whether some is left. What is looked at often does not ask the clock each time. */
  get hasAny(): boolean {
    return this.#left >= 0;
  }

  /** Whether nothing was taken, or all of it has come back. */
  get isFull(): boolean {
    this.waitMs();
    return this.#left >= this.#perSecond() * this.#burstSeconds;
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
