import { join } from 'node:path';
import { alternate, type Measured, median } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { plainSessions, storeSessions } from './stored-sessions.ts';

const MANY = 10_000;
const FEW = 10;
const STARTS_A_RUN = 3;
/** Limit for the memory of one more session on disk. */
const BYTES_A_SESSION = 1_000;

interface Started {
  readonly ms: number;
  readonly heapBytes: number;
}

/** Time from `start()` to listening in a fresh process with many sessions on disk, against few sessions; and the heap after collection. */
export async function start(): Promise<Measured[]> {
  return withFolder(async (parent) => {
    const folders = { many: join(parent, 'many'), few: join(parent, 'few') };
    await storeSessions(folders.many, plainSessions(MANY));
    await storeSessions(folders.few, plainSessions(FEW));
    const heaps: { [K in keyof typeof folders]: number[] } = { many: [], few: [] };
    const once = async (which: keyof typeof folders): Promise<number> => {
      const host = new BenchProcess('./start-host.ts', ['--expose-gc']);
      try {
        const { ms, heapBytes } = await host.ask<Started>({ folder: folders[which] });
        heaps[which].push(heapBytes);
        return ms;
      } finally {
        await host.end();
      }
    };
    // Takes the fastest of a few: a busy disk makes single starts several times slower.
    const run = async (which: keyof typeof folders): Promise<number> => {
      let best = Number.POSITIVE_INFINITY;
      for (let count = 0; count < STARTS_A_RUN; count += 1) best = Math.min(best, await once(which));
      return best;
    };
    await once('many');
    await once('few');
    const { ours, baseline, ratio } = await alternate(
      () => run('many'),
      () => run('few'),
    );
    const heap = { many: median(heaps.many), few: median(heaps.few) };
    const bytesEach = Math.max(0, heap.many - heap.few) / (MANY - FEW);
    return [
      {
        name: `start with ${MANY} sessions, not ${FEW}`,
        figure: `${ours.toFixed(1)} ms`,
        baseline: `${baseline.toFixed(1)} ms`,
        ratio,
        bar: { atMost: 2 },
      },
      {
        name: `heap of ${MANY} sessions, not ${FEW}: kB each`,
        figure: megabytes(heap.many),
        baseline: megabytes(heap.few),
        ratio: bytesEach / BYTES_A_SESSION,
        bar: { atMost: 1 },
      },
    ];
  });
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
