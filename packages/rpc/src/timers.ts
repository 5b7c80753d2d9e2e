/** The two timer functions that are needed, so that tests and simulations bring their own. */
export interface Timers {
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** The real ones. */
export const realTimers: Timers = {
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (handle) => {
    if (typeof handle === 'object' || typeof handle === 'number') {
      Reflect.apply(globalThis.clearTimeout, undefined, [handle]);
    }
  },
};
