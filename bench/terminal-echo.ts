import type { Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';

/** A shell that reads no files of whoever runs this. */
const SHELL = ['bash', '--norc', '--noprofile', '-i'];
/** Ten minutes of a quick typist, ten keys a second; the pauses are shortened, the keys are not. */
const KEYS = 6_000;
const BLOCK = 500;
const GAP_MS = 5;

/** Key to echo over WebSocket, host, journal and keeper and back, against a pty in the very process that types. */
export async function terminalEcho(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = new BenchProcess('./terminal-host.ts');
    const typist = new BenchProcess('./terminal-typist.ts');
    const local = new BenchProcess('./terminal-typist.ts');
    try {
      const { wsUrl } = await host.ask<{ wsUrl: string }>({ kind: 'start', folder, keeper: true });
      await typist.ask({ kind: 'open', shell: SHELL, cwd: folder, url: wsUrl });
      await local.ask({ kind: 'open', shell: SHELL, cwd: folder });
      const ours: number[] = [];
      const baseline: number[] = [];
      const block = async (by: BenchProcess): Promise<number[]> =>
        (await by.ask<{ latenciesMs: number[] }>({ kind: 'type', keys: BLOCK, gapMs: GAP_MS })).latenciesMs;
      // The first block of each warms up.
      await block(typist);
      await block(local);
      while (ours.length < KEYS) {
        ours.push(...(await block(typist)));
        baseline.push(...(await block(local)));
      }
      return [compare('p50', 0.5, { ours, baseline }, 3), compare('p99', 0.99, { ours, baseline }, 5)];
    } finally {
      await Promise.all([typist.end(), local.end()]);
      await host.end();
    }
  });
}

function compare(
  name: string,
  share: number,
  { ours, baseline }: { ours: number[]; baseline: number[] },
  atMost: number,
): Measured {
  const [figure, other] = [quantile(ours, share), quantile(baseline, share)];
  const text = (ms: number): string => `${ms.toFixed(2)} ms`;
  return {
    name: `keystroke to echo, ${name}`,
    figure: text(figure),
    baseline: text(other),
    ratio: figure / other,
    bar: { atMost },
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
