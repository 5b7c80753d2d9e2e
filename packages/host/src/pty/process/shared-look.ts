/**
 * Wraps a costly look at something that changes, so that any number of callers share it: one look at a time, and whoever asks
 * while one runs gets the next, since what that one has read already may have changed since. Rejects as `look` does.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const result = look();
    running = result;
    const over = (): void => {
      if (running === result) running = undefined;
    };
    result.then(over, over);
    return result;
  };
  const afterwards = (): Promise<T> => {
    next = undefined;
    return begin();
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    next = running.then(afterwards, afterwards);
    return next;
  };
}
