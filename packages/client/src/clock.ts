import { realTimers, type Timers } from '@agenthost/rpc';

/** Clock and timers of a client. Replace it in tests and simulations. */
export interface Clock extends Timers {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since any fixed moment; not affected when the wall clock is set. Absent: `now` is used. */
  elapsed?(): number;
}

/** Monotonic time for durations, in milliseconds since any fixed moment. */
export const steadyNow = (clock: Clock): number => clock.elapsed?.() ?? clock.now();

/** The clock and timers of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (callback, delayMs) => realTimers.setTimeout(callback, delayMs),
  clearTimeout: (handle) => realTimers.clearTimeout(handle),
};

/** 128 random bits as hexadecimal digits. Browsers offer `crypto.randomUUID` only on secure origins. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
