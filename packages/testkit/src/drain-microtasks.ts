/**
 * Resolves when all promises that can settle have settled, including those that wait for file reads. A
 * macrotask runs after all promise callbacks; another one follows while a file request is pending.
 */
export async function drainMicrotasks(): Promise<void> {
  do await nextMacrotask();
  while (process.getActiveResourcesInfo().some(isFileRequest));
}

/** `readFile` closes its file with a `CloseReq`. */
const isFileRequest = (name: string): boolean => name.startsWith('FSReq') || name === 'CloseReq';

/** The real ones, before a test installs fake ones. */
const { setImmediate: soon, setTimeout: later } = globalThis;

const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    soon(resolve);
  });

/** Waits for a real millisecond. */
export const realPause = (): Promise<void> =>
  new Promise((resolve) => {
    later(resolve, 1);
  });
