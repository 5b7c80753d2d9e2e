/**
 * Resolves when all promises that can settle have settled, including those that wait for reads of the file
 * system. A macrotask runs after all promises; it is repeated while a read is under way.
 */
export async function drainMicrotasks(): Promise<void> {
  do await nextMacrotask();
  while (process.getActiveResourcesInfo().some(isFileRequest));
}

/** `readFile` closes its file with a request of another name. */
const isFileRequest = (name: string): boolean => name.startsWith('FSReq') || name === 'CloseReq';

const { setImmediate: soon } = globalThis;

const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    soon(resolve);
  });
