import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FloodHeap } from '../terminals/flood-memory.ts';

/** The heap of this very process. */
export const v8Heap: FloodHeap = {
  /**
   * A heap that does not grow, or one as V8 has it by itself. In a flood nearly everything in it is garbage, and what it grows to
   * is kept long after: V8 would come to 64 MiB of young generation, twice, where 8 do.
   */
  setThrifty: (isThrifty) => {
    setFlagsFromString(`--semi-space-growth-factor=${isThrifty ? 1 : 2}`);
    setFlagsFromString(`--heap-growing-percent=${isThrifty ? 10 : 0}`);
  },
  // In a task of its own, so that whoever reads the pty goes on; nothing but a new context gets hold of it once V8 runs.
  collect: () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof collectGarbage === 'function') collectGarbage({ type: 'major', execution: 'async' });
  },
};
