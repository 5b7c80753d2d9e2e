import { realTimers, type Timers } from '@agenthost/rpc';

/** Time as the client sees it, so that tests and simulations bring their own. */
export interface Clock extends Timers {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment, whatever is done to the wall clock. Absent: the wall clock is never set. */
  elapsed?(): number;
}

/** What durations are measured by: never set forward or back. Milliseconds since some moment. */
export const steadyNow = (clock: Clock): number => clock.elapsed?.() ?? clock.now();

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (callback, delayMs) => realTimers.setTimeout(callback, delayMs),
  clearTimeout: (handle) => realTimers.clearTimeout(handle),
};

/** 128 random bits as hex. Not `crypto.randomUUID`: browsers offer that on secure origins alone. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
