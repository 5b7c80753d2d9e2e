import { pathToFileURL } from 'node:url';
import { compareQuantile, type Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';

const PER_SECOND = 100;
const COUNT = 2_000;
const WARM_UP = 300;

/**
 * Time from a dispatch to its journaled echo, at 100 dispatches a second, with host and client in processes of their own. The baseline is a
 * bare `ws` server that echoes as many bytes to the same client, in the gaps between.
 */
export async function dispatchEcho(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = new BenchProcess('./fan-out-host.ts');
    const bare = new BenchProcess('./echo-bare.ts');
    const dispatcher = new BenchProcess('./echo-dispatcher.ts');
    try {
      const { wsUrl: url } = await host.ask<{ wsUrl: string }>({ kind: 'start', folder });
      const at = pathToFileURL(folder).href;
      const { frame } = await dispatcher.ask<{ frame: string }>({ kind: 'open', url, folder: at });
      const { url: bareUrl } = await bare.ask<{ url: string }>({ frame });
      const run = (count: number): Promise<{ ours: number[]; baseline: number[] }> =>
        dispatcher.ask({ kind: 'run', bareUrl, count, perSecond: PER_SECOND });
      await run(WARM_UP);
      const found = await run(COUNT);
      return [
        compareQuantile('dispatch to echo, p50', 0.5, found, 3),
        compareQuantile('dispatch to echo, p99', 0.99, found, 5),
      ];
    } finally {
      await Promise.all([host.end(), bare.end(), dispatcher.end()]);
    }
  });
}
