/** The result of a promise that does not reject; `undefined` when the signal aborts first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', end));
}
