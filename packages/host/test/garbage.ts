import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's garbage collector, without a flag for the test's process. `minor` collects the young generation only. */
export function garbageCollector(): (options?: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}
