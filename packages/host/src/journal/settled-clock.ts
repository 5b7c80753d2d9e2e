import { type Clock, steadyNow } from '../lib/clock.ts';

/** A wall clock that is ahead of what was expected is believed when it has been for so long. */
const PROBATION_MS = 60 * 60 * 1_000;
/** Clocks are corrected by so much all the time. */
const TOLERANCE_MS = 5 * 60 * 1_000;

/**
 * The time by which things are deleted for their age. A clock that jumps forward and is set right again within the hour deletes
 * nothing; one that jumps back is believed at once, for then less is deleted. After a long sleep of the machine, or a long time without
 * a host, ages are an hour late.
 */
export class SettledClock {
  readonly #clock: Clock;
  #settled: number;
  #steadyAt: number;
  #aheadSince: number | undefined;

  /** `lastTime`: when the host is known to have run last, ms since the epoch; 0 when it never has. */
  constructor(clock: Clock, lastTime: number) {
    this.#clock = clock;
    this.#settled = lastTime === 0 ? clock.now() : Math.min(clock.now(), lastTime);
    this.#steadyAt = steadyNow(clock);
  }

  /** ms since the epoch. To be asked more often than once an hour. */
  now(): number {
    const wall = this.#clock.now();
    const steady = steadyNow(this.#clock);
    const expected = this.#settled + (steady - this.#steadyAt);
    this.#steadyAt = steady;
    const isAhead = wall > expected + TOLERANCE_MS;
    this.#aheadSince = isAhead ? (this.#aheadSince ?? steady) : undefined;
    const isDoubted = this.#aheadSince !== undefined && steady - this.#aheadSince < PROBATION_MS;
    this.#settled = isDoubted ? expected : wall;
    return this.#settled;
  }
}
