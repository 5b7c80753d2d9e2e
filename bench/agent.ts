import { pathToFileURL } from 'node:url';
import { HOST_NODE_FLAGS } from '../packages/cli/src/host-link/start-host.ts';
import { alternate, type Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';
import { wireTurn } from './wire-turn.ts';

/** Work of one run. */
const KINDS = [
  { kind: 'tokens', one: 'streamed token', count: 3_000 },
  { kind: 'calls', one: 'tool call', count: 60 },
] as const;

/**
 * Processor time of a host with a model agent for each streamed token and each tool call, journal and one subscribed client included. The
 * baseline is the `ai` library alone, which streams the same answers, and runs the same calls, in the same process. The model is a process of its own.
 */
export async function agent(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const model = new BenchProcess('./agent-model.ts');
    const host = new BenchProcess('./agent-host.ts', HOST_NODE_FLAGS);
    try {
      const { url: modelUrl } = await model.ask<{ url: string }>({});
      const { url } = await host.ask<{ url: string }>({ kind: 'start', folder, modelUrl });
      const client = await WireClient.connect(url, 'bench');
      const results: Measured[] = [];
      for (const { kind, one, count } of KINDS) {
        const prompt = `${kind} ${count}`;
        const timeOf = async (request: object): Promise<number> =>
          (await host.ask<{ time: number }>(request)).time;
        const throughHost = async (): Promise<number> => {
          const { chat } = await newSession(client, pathToFileURL(folder).href);
          await client.request('subscribe', { channel: chat, view: { turns: 1 } });
          const before = await timeOf({ kind: 'time' });
          await wireTurn(client, chat, prompt, 'stand-in');
          return (await timeOf({ kind: 'time' })) - before;
        };
        const byLibrary = (): Promise<number> => timeOf({ kind: 'direct', prompt, count });
        for (const warmUp of [throughHost, byLibrary, throughHost, byLibrary]) await warmUp();
        const { ours, baseline, ratio } = await alternate(throughHost, byLibrary);
        const each = (time: number): string => `${(time / count).toFixed(0)} µs`;
        results.push({
          name: `model agent, per ${one}`,
          figure: each(ours),
          baseline: each(baseline),
          ratio,
          bar: { atMost: 1.5 },
        });
      }
      await client.close();
      return results;
    } finally {
      await Promise.all([host.end(), model.end()]);
    }
  });
}
