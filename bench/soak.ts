import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from './bar.ts';
import type { Sample } from './measured-host.ts';
import { BenchProcess, measuredHost, withFolder } from './process.ts';
import { CURVE_HEAD, curveLine, heapSlope, type Point } from './soak-curve.ts';

/** Default length of a run. */
export const DEFAULT_MINUTES = 2;
/** A shorter run finds only gross leaks: code that loads once weighs as much as growth. */
const LONG_MINUTES = 10;
const MOST_MB_PER_MINUTE = 1;
const MOST_MB_PER_MINUTE_SHORT = 10;

/** A run under mixed load. */
export interface SoakOptions {
  readonly minutes: number;
  readonly users: number;
  /** Runs of one seed do the same, as far as the speed of the machine allows. */
  readonly seed: number;
  onLine(line: string): void;
  /** Folder for heap snapshots of the middle and the end. Absent: no snapshots. */
  readonly snapshotFolder?: string | undefined;
}

/** Runs users who do everything, against a host in another process. Resolves with its memory over time and the count of each deed. */
export async function soak({
  minutes,
  users: count,
  seed,
  onLine,
  snapshotFolder,
}: SoakOptions): Promise<{ points: Point[]; counts: Record<string, number> }> {
  return withFolder(async (folder) => {
    await makeFiles(folder);
    const host = measuredHost();
    const users = new BenchProcess('./soak-users.ts');
    try {
      const { url } = await host.ask<{ url: string }>({
        kind: 'start',
        folder,
        isShort: minutes < LONG_MINUTES,
      });
      await users.ask({ kind: 'start', url, folder, count, seed });
      const points: Point[] = [];
      const startedAt = performance.now();
      const intervalMs = Math.max(1_000, Math.min(15_000, (minutes * 60_000) / 60));
      let isHalfWritten = snapshotFolder === undefined;
      onLine(CURVE_HEAD);
      for (;;) {
        const minute = (performance.now() - startedAt) / 60_000;
        const point = { minute, ...(await host.ask<Sample>({ kind: 'sample' })) };
        points.push(point);
        onLine(curveLine(point));
        // Rejects when a user has failed, which ends the run.
        await users.ask({ kind: 'counts' });
        if (minute >= minutes) break;
        if (!isHalfWritten && minute >= minutes / 2) {
          isHalfWritten = true;
          await host.ask({ kind: 'snapshot', file: `${snapshotFolder}/half.heapsnapshot` });
        }
        await pause(intervalMs);
      }
      if (snapshotFolder !== undefined)
        await host.ask({ kind: 'snapshot', file: `${snapshotFolder}/end.heapsnapshot` });
      const { counts } = await users.ask<{ counts: Record<string, number> }>({ kind: 'stop' });
      return { points, counts };
    } finally {
      await users.end();
      await host.end();
    }
  });
}

/** `--minutes` and `--snapshots` of the command line. */
export interface SoakChoice {
  readonly minutes?: number | undefined;
  readonly snapshots?: string | undefined;
}

/** Least-squares slope of the heap over the second half of a run, after garbage collection. */
export async function soakBench({ minutes = DEFAULT_MINUTES, snapshots }: SoakChoice): Promise<Measured[]> {
  const { points, counts } = await soak({
    minutes,
    users: 6,
    seed: 1,
    onLine: (line) => console.error(line),
    snapshotFolder: snapshots,
  });
  const deeds = Object.entries(counts).map(([deed, count]) => `${deed} ${count}`);
  console.error(`done: ${deeds.join(', ')}`);
  const found = heapSlope(points);
  return [
    {
      name: `soak of ${minutes} min`,
      figure: `${found.toFixed(2)} MB/min`,
      baseline: `${((points.at(-1)?.heapBytes ?? 0) / 1_000_000).toFixed(1)} MB`,
      ratio: found,
      bar: { atMost: minutes < LONG_MINUTES ? MOST_MB_PER_MINUTE_SHORT : MOST_MB_PER_MINUTE },
    },
  ];
}

/** Makes files for path completion. */
async function makeFiles(folder: string): Promise<void> {
  for (let index = 0; index < 200; index += 1) {
    const parent = `${folder}/sources-${index % 10}`;
    await mkdir(parent, { recursive: true });
    await writeFile(`${parent}/source-${index}.ts`, 'export {};\n');
  }
}
