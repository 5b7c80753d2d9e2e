import type { Clock as ClientClock } from '@agenthost/client';
import { drainMicrotasks } from './drain-microtasks.ts';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Time under a test's control, for host, client and agents alike: `now()` moves only by `advance`, timers fire in the
 * order of their time (then of their making), and what was scheduled by `immediate` runs when the test says so.
 */
export class SimulatedClock implements ClientClock {
  #now: number;
  #order = 0;
  readonly #timers = new Map<number, Entry>();
  #immediates: (() => void)[] = [];

  /** `startAt`: ms since the epoch. Default: some day in 2026. */
  constructor(startAt = Date.UTC(2026, 5, 1)) {
    this.#now = startAt;
  }

  /** ms since the epoch. */
  readonly now = (): number => this.#now;

  /** Lets time go by without firing what falls due: somebody is at work meanwhile. */
  spend(ms: number): void {
    this.#now += ms;
  }

  /** Calls back once, `delayMs` from now; the result takes it back. */
  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    const handle = this.setTimeout(callback, delayMs);
    return () => this.clearTimeout(handle);
  };

  /** Calls back at the next `runImmediates`. */
  readonly immediate = (callback: () => void): void => {
    this.#immediates.push(callback);
  };

  readonly setTimeout = (callback: () => void, delayMs: number): number => {
    this.#order += 1;
    const delay = Number.isFinite(delayMs) ? Math.max(0, delayMs) : 0;
    this.#timers.set(this.#order, { at: this.#now + delay, order: this.#order, run: callback });
    return this.#order;
  };

  readonly clearTimeout = (handle: unknown): void => {
    if (typeof handle === 'number') this.#timers.delete(handle);
  };

  /** Timers that wait. */
  get timerCount(): number {
    return this.#timers.size;
  }

  /** When the next timer is due, ms since the epoch; `undefined` without one. */
  get nextAt(): number | undefined {
    return this.#next()?.at;
  }

  /** True when `runImmediates` would run something. */
  get hasImmediates(): boolean {
    return this.#immediates.length > 0;
  }

  /** Runs what was scheduled so far, not what that schedules; returns how much it was. */
  runImmediates(): number {
    const due = this.#immediates;
    this.#immediates = [];
    for (const run of due) run();
    return due.length;
  }

  /** Jumps to the next timer and fires it; false when there is none. Synchronous: promises go on when the caller lets them. */
  fireNext(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    this.#timers.delete(next.order);
    next.run();
    return true;
  }

  /** Lets promises and immediates run until neither has anything more to do. Does not wait for real input or output. */
  async settle(): Promise<void> {
    do await drainMicrotasks();
    while (this.runImmediates() > 0);
  }

  /** Lets `ms` go by: fires what falls due on the way, each followed by all that it sets off. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.fireNext();
      await this.settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /**
   * Fires timers, one after another, until `promise` settles; resolves and rejects as it does. Rejects when it has not settled
   * after ten thousand timers.
   */
  async runUntilSettled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const done = promise.finally(() => {
      isSettled = true;
    });
    // Its failure is rethrown by the last line.
    done.catch(() => undefined);
    for (let round = 0; round < 10_000; round += 1) {
      await this.settle();
      if (isSettled) break;
      this.fireNext();
    }
    if (!isSettled) throw new Error('what was waited for has not settled, whatever timers fired');
    await done;
  }

  /** Timers and clock for something that may be killed: after `end()` nothing of it is called any more. */
  scope(): ClockScope {
    return new ClockScope(this);
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#timers.values()) {
      if (first === undefined || entry.at < first.at) first = entry;
    }
    return first;
  }
}

/** A share of a simulated clock that ends with its user, see `SimulatedClock.scope`. */
export class ClockScope {
  readonly #clock: SimulatedClock;
  readonly #handles = new Set<number>();
  #isOver = false;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  readonly now = (): number => this.#clock.now();

  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    if (this.#isOver) return () => undefined;
    const handle = this.#clock.setTimeout(() => {
      this.#handles.delete(handle);
      callback();
    }, delayMs);
    this.#handles.add(handle);
    return () => {
      this.#handles.delete(handle);
      this.#clock.clearTimeout(handle);
    };
  };

  readonly immediate = (callback: () => void): void => {
    this.#clock.immediate(() => {
      if (!this.#isOver) callback();
    });
  };

  /** Timers of this scope that wait. */
  get timerCount(): number {
    return this.#handles.size;
  }

  /** Takes everything back, for good. */
  end(): void {
    this.#isOver = true;
    for (const handle of this.#handles) this.#clock.clearTimeout(handle);
    this.#handles.clear();
  }
}
