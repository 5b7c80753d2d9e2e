import { setTimeout as pause } from 'node:timers/promises';
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

/** The prompt of a turn that costs nothing but the turn itself. */
const SHORTEST = 'tokens 1';
/** The host is idle when it has used less than this in one look, in µs. */
const IDLE_US = 2_000;
const LOOK_MS = 50;
/** Looks for an idle host before a measurement. */
const MOST_LOOKS = 100;

/**
 * Processor time of a host with a model agent for each streamed token and each tool call, journal and one subscribed client included. The
 * baseline is the `ai` library alone, which streams the same answers, and runs the same calls, in the same process. The model is a process of its own.
 * On both sides the time of a turn with one token is subtracted: what a turn costs once, such as the snapshots of the working tree, belongs to no token.
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
        /** Work after the end of a turn must not count for the next one. */
        const idle = async (): Promise<void> => {
          let before = await timeOf({ kind: 'time' });
          for (let look = 0; look < MOST_LOOKS; look += 1) {
            await pause(LOOK_MS);
            const now = await timeOf({ kind: 'time' });
            if (now - before < IDLE_US) return;
            before = now;
          }
        };
        const turn = async (text: string): Promise<number> => {
          const { chat } = await newSession(client, pathToFileURL(folder).href);
          await client.request('subscribe', { channel: chat, view: { turns: 1 } });
          await idle();
          const before = await timeOf({ kind: 'time' });
          await wireTurn(client, chat, text, 'stand-in');
          return (await timeOf({ kind: 'time' })) - before;
        };
        const direct = async (text: string): Promise<number> => {
          await idle();
          return timeOf({ kind: 'direct', prompt: text, count });
        };
        const throughHost = async (): Promise<number> => (await turn(prompt)) - (await turn(SHORTEST));
        const byLibrary = async (): Promise<number> => (await direct(prompt)) - (await direct(SHORTEST));
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
