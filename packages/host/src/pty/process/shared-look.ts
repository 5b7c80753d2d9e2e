/**
 * Shares a costly read among callers. One `look` runs at a time. A call during a running `look` gets the result of the next one, because
 * the running one may have read an older state. Rejects as `look` does.
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
