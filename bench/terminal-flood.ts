import { alternate, type Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { ServeProcess } from './terminal-host.ts';

const BYTES = 200_000_000;
const LINE = '2026-03-01T12:00:00.000Z info build: compiled module 4711 of 9000 in 12.3 ms';
/** Imitates the output of a long build: `BYTES` bytes, to which the pty adds a CR for each line. */
const COMMAND = ['/bin/sh', '-c', `yes '${LINE}' | head -c ${BYTES}`];

const CASES = [
  { name: 'terminal flood', keeper: true, atLeast: 0.4 },
  { name: 'terminal flood, no keeper', keeper: false, atLeast: 0.45 },
] as const;

/** Limit for the host's memory, which must not grow with the output. */
const MOST_BYTES = 300e6;

interface Read {
  readonly bytes: number;
  readonly ms: number;
}

/**
 * 200 MB through pty, host, journal and a WebSocket to one client, with and without a keeper, against the same pty read directly in Node.
 */
export async function terminalFlood(): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const each of CASES) results.push(...(await withFolder((folder) => measure(folder, each))));
  return results;
}

async function measure(
  folder: string,
  { name, keeper, atLeast }: (typeof CASES)[number],
): Promise<Measured[]> {
  const host = await ServeProcess.start(folder, keeper);
  const reader = new BenchProcess('./terminal-reader.ts');
  try {
    const rate = async (url?: string): Promise<number> => {
      const { bytes, ms } = await reader.ask<Read>({ command: COMMAND, cwd: folder, url });
      if (bytes < BYTES) throw new Error(`${BYTES - bytes} bytes of ${BYTES} did not arrive`);
      return bytes / ms / 1_000;
    };
    const found = await alternate(
      () => rate(host.wsUrl),
      () => rate(),
    );
    const peakBytes = host.peakBytes();
    const text = (megabytes: number): string => `${megabytes.toFixed(1)} MB/s`;
    const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    return [
      {
        name,
        figure: text(found.ours),
        baseline: text(found.baseline),
        ratio: found.ratio,
        bar: { atLeast },
      },
      {
        name: `${name}: peak memory of the host`,
        figure: megabytes(peakBytes),
        baseline: megabytes(MOST_BYTES),
        ratio: peakBytes / MOST_BYTES,
        bar: { atMost: 1 },
      },
    ];
  } finally {
    await reader.end();
    await host.end();
  }
}
