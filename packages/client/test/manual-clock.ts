import type { Clock } from '../src/clock.ts';

/** A clock that only a test moves. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  #offset = 0;
  #next = 1;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();

  get timerCount(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now + this.#offset;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the wall clock forward or back. Timers and durations are not affected. */
  set(byMs: number): void {
    this.#offset += byMs;
  }

  setTimeout(callback: () => void, delayMs: number): number {
    const handle = this.#next++;
    this.#timers.set(handle, { at: this.#now + delayMs, callback });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'number') this.#timers.delete(handle);
  }

  /** Milliseconds until the next timer. */
  get nextInMs(): number | undefined {
    const times = Array.from(this.#timers.values(), ({ at }) => at - this.#now);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Advances the clock and fires due timers in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = Array.from(this.#timers)
        .filter(([, { at }]) => at <= end)
        .sort(([, a], [, b]) => a.at - b.at)[0];
      if (due === undefined) break;
      const [handle, { at, callback }] = due;
      this.#timers.delete(handle);
      this.#now = Math.max(this.#now, at);
      callback();
    }
    this.#now = end;
  }
}
