/** Timers for the demo agent's pauses. Replace them in tests and simulations. */
export interface DemoTimers {
  /**
   * Calls back once after `delayMs` milliseconds. Returns a function that cancels it, which may be called
   * late or twice.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** The timers of the process. */
export const realTimers: DemoTimers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits `delayMs` milliseconds. Rejects with the signal's reason when it aborts. Zero does not wait. */
export function pause(timers: DemoTimers, delayMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (delayMs <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const cancel = timers.after(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
