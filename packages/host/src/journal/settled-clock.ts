import { type Clock, steadyNow } from '../lib/clock.ts';

/** Time for which a wall clock must run ahead before it is believed. */
const PROBATION_MS = 60 * 60 * 1_000;
/** Corrections of a clock up to this are normal. */
const TOLERANCE_MS = 5 * 60 * 1_000;

/**
 * The time by which the host deletes old data. A clock that jumps forward and is corrected within the hour deletes nothing. A clock that
 * jumps back is believed at once, since less is deleted then. After a long sleep of the machine, or a long time without a host, deletion
 * by age starts an hour late.
 */
export class SettledClock {
  readonly #clock: Clock;
  #settled: number;
  #steadyAt: number;
  #aheadSince: number | undefined;

  /** `lastTime`: last known run time of a host, ms since the epoch; 0 when no host has run. */
  constructor(clock: Clock, lastTime: number) {
    this.#clock = clock;
    this.#settled = lastTime === 0 ? clock.now() : Math.min(clock.now(), lastTime);
    this.#steadyAt = steadyNow(clock);
  }

  /** ms since the epoch. Must be called more often than once an hour. */
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
