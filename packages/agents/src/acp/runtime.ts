/** Timers of the ACP bridge. Tests replace them. */
export interface AcpTimers {
  /**
   * Calls `callback` once after `delayMs` milliseconds. Returns a function that cancels it, which may be
   * called at any time.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** Log of the ACP bridge, for debugging agents. */
export type AcpLog = (
  level: 'debug' | 'info' | 'warn',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** The timers of the process. */
export const processTimers: AcpTimers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Settles like `promise`, or rejects with the error from `late` after `delayMs`. The promise itself is not
 * cancelled.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  timers: AcpTimers,
  delayMs: number,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(delayMs, () => reject(late()));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** Settles like `promise`, or rejects when the signal aborts. A later value is passed to `discard`. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal, discard: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise
      .then((value) => {
        if (signal.aborted) discard(value);
        else resolve(value);
      }, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
