import type { Clock as ClientClock } from '@agenthost/client';
import { drainMicrotasks, realPause } from './drain-microtasks.ts';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * A clock for host, client and agents that a test controls. Only the methods of this class move the time.
 * Timers fire in the order of their time, then of their creation. Immediates run in `runImmediates`.
 */
export class SimulatedClock implements ClientClock {
  #now: number;
  #order = 0;
  readonly #timers = new Map<number, Entry>();
  #immediates: (() => void)[] = [];

  /** `startAt`: milliseconds since the epoch. Default: a day in 2026. */
  constructor(startAt = Date.UTC(2026, 5, 1)) {
    this.#now = startAt;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#now;

  /** Moves the time without firing timers, as synchronous work does. */
  spend(ms: number): void {
    this.#now += ms;
  }

  /** Calls `callback` once after `delayMs`. Returns a function that cancels the timer. */
  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    const handle = this.setTimeout(callback, delayMs);
    return () => this.clearTimeout(handle);
  };

  /** Calls `callback` at the next `runImmediates`. */
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

  /** Number of pending timers. */
  get timerCount(): number {
    return this.#timers.size;
  }

  /** Time of the next timer in milliseconds since the epoch; `undefined` without one. */
  get nextAt(): number | undefined {
    return this.#next()?.at;
  }

  /** Whether `runImmediates` would run anything. */
  get hasImmediates(): boolean {
    return this.#immediates.length > 0;
  }

  /** Runs the immediates scheduled so far, but not those that they schedule. Returns the number run. */
  runImmediates(): number {
    const due = this.#immediates;
    this.#immediates = [];
    for (const run of due) run();
    return due.length;
  }

  /**
   * Moves the time to the next timer and fires it. Returns false without a timer. Promise callbacks run after
   * this call.
   */
  fireNext(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    this.#timers.delete(next.order);
    next.run();
    return true;
  }

  /** Runs promise callbacks and immediates until none is left. Waits for file requests, not for other I/O. */
  async settle(): Promise<void> {
    do await drainMicrotasks();
    while (this.runImmediates() > 0);
  }

  /** Advances by `ms`. Runs everything that one due timer triggers before the next timer fires. */
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
   * Fires timers until `promise` settles, then settles the same way. After 100 timers it pauses for a real millisecond before each further one,
   * because a program or a socket may be what is waited for. Rejects after 10,000 timers.
   */
  async runUntilSettled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const done = promise.finally(() => {
      isSettled = true;
    });
    // The last `await` rethrows the error, so the rejection here must not count as unhandled.
    done.catch(() => undefined);
    for (let round = 0; round < 10_000; round += 1) {
      await this.settle();
      if (isSettled) break;
      if (round >= 100) await realPause();
      this.fireNext();
    }
    if (!isSettled) throw new Error('what was waited for has not settled, whatever timers fired');
    await done;
  }

  /** Clock and timers for a component that a test may kill: after `end()` no callback runs. */
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

/** Clock and timers of one component; see `SimulatedClock.scope`. */
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

  /** Pending timers of this scope. */
  get timerCount(): number {
    return this.#handles.size;
  }

  /** Cancels all timers and immediates. Later calls schedule nothing. */
  end(): void {
    this.#isOver = true;
    for (const handle of this.#handles) this.#clock.clearTimeout(handle);
    this.#handles.clear();
  }
}
