/** Resolves when every promise that can go on without input or output has gone on: a macrotask comes after them all. */
export function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
