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
