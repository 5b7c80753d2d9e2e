import { randomUUID } from 'node:crypto';

/** Wall clock. */
export interface Clock {
  /** ms since the epoch. */
  now(): number;
  /** ms of a monotonic clock. Absent when the wall clock is never set. */
  elapsed?(): number;
}

/** Monotonic time in ms, for durations. */
export const steadyNow = (clock: Clock): number => clock.elapsed?.() ?? clock.now();

/** Cancels a timer. Does nothing once the timer has fired. */
export type Cancel = () => void;

/** The timers of a host. A simulation provides its own. */
export interface Timers {
  /** Calls `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Calls `callback` after the current iteration of the event loop, at the end of a tick. */
  immediate(callback: () => void): void;
}

/** Creates globally unique ids. */
export interface Ids {
  next(): string;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Node's timers. */
export const systemTimers: Timers = {
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  immediate: (callback) => void setImmediate(callback),
};

/** Random UUIDs. */
export const randomIds: Ids = { next: () => randomUUID() };
