import { randomUUID } from 'node:crypto';

/** Wall clock. */
export interface Clock {
  /** ms since the epoch. */
  now(): number;
  /** ms since some moment, whatever is done to the wall clock. Absent: the wall clock is never set. */
  elapsed?(): number;
}

/** What durations are measured by: never set forward or back. ms since some moment of this process. */
export const steadyNow = (clock: Clock): number => clock.elapsed?.() ?? clock.now();

/** Calls off what was scheduled; harmless afterwards. */
export type Cancel = () => void;

/** Timers as the host uses them, so that a simulation can own time. */
export interface Timers {
  /** Calls back once after `delayMs`. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Calls back after the present turn of the event loop: where a tick ends. */
  immediate(callback: () => void): void;
}

/** Makes ids that are unique for ever. */
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
