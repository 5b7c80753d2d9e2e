/** Timers of model agents. Tests replace them. */
export interface ModelTimers {
  /** Calls `callback` once after `delayMs` milliseconds. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Resolves after `delayMs`. Rejects with the abort reason when the signal aborts first. */
export function pause(timers: ModelTimers, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timers.after(delayMs, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
