/** The timer functions that a peer needs. Replace them in tests and simulations. */
export interface Timers {
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** The timers of the platform. */
export const realTimers: Timers = {
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (handle) => {
    if (typeof handle === 'object' || typeof handle === 'number') {
      Reflect.apply(globalThis.clearTimeout, undefined, [handle]);
    }
  },
};
