/** Timers as the bridge needs them; given by the host, so that tests decide what time it is. */
export interface AcpTimers {
  /** Runs `callback` once after `delayMs`. Returns the way to call it off, which may be used at any time. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Where the bridge reports what a person debugging an agent wants to see. */
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
 * Settles as `promise` does, or rejects with the error that `late` makes once `delayMs` have passed. The promise itself goes on.
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

/** Settles as `promise` does, or rejects when the signal aborts; what comes after that is handed to `discard`. */
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
