/** Where the demo agent gets its pauses from, so that tests and simulations decide how time passes. */
export interface DemoTimers {
  /** Calls back once after `delayMs`. The returned function takes it back; calling that late or twice is fine. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Real time. */
export const realTimers: DemoTimers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits `delayMs`; rejects with the signal's reason as soon as it aborts. Zero waits for nothing. */
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

/** Settles when the signal aborts, and never otherwise. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
