import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The garbage collector of V8, without a flag at the start of the test's process. `minor`: the young generation alone. */
export function garbageCollector(): (options?: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}
