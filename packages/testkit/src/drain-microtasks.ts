/**
 * Resolves when every promise that can go on by itself has gone on, those behind reads of the file system included: a
 * macrotask comes after all promises, and is waited for again while such a read is under way.
 */
export async function drainMicrotasks(): Promise<void> {
  do await nextMacrotask();
  while (process.getActiveResourcesInfo().some(isFileRequest));
}

/** `readFile` closes its file by a request of another name. */
const isFileRequest = (name: string): boolean => name.startsWith('FSReq') || name === 'CloseReq';

const { setImmediate: soon } = globalThis;

const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    soon(resolve);
  });
