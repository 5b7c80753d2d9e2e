import { type Clock, steadyNow } from '../../lib/clock.ts';
import { archiveTurns } from '../../sync/archive.ts';
import type { Sync } from '../../sync/sync.ts';
import { WindowBudget } from '../../sync/window-budget.ts';
import type { Feature } from '../feature.ts';

/** Stores completed turns as rows, and limits the turns and channels in memory. */
export function historyFeature({
  sync,
  clock,
  unloadAfterMs,
}: {
  readonly sync: Sync;
  readonly clock: Clock;
  /** Time that an idle channel without subscribers stays in memory, in milliseconds. */
  readonly unloadAfterMs: number;
}): Feature {
  archiveTurns(sync);
  const windows = new WindowBudget(sync);
  return {
    name: 'history',
    sweep: () => {
      sync.registry.unloadIdle(steadyNow(clock) - unloadAfterMs);
      windows.check();
    },
  };
}
