import { pathToFileURL } from 'node:url';
import { alternate, type Measured } from './bar.ts';
import { untilWhole } from './fan-out.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

const SUBSCRIBERS = 100;
const CHUNKS = 2_000;

/**
 * A demo turn at the highest speed to 100 subscribers, half of them at version 0.5.2. The baseline is the same turn of the same host to 100
 * subscribers at version 1.0.
 */
export async function fanOutVersions(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = new BenchProcess('./fan-out-host.ts');
    const subscribers = new BenchProcess('./fan-out-subscribers.ts');
    const { wsUrl } = await host.ask<{ wsUrl: string }>({ kind: 'start', folder });
    const driver = await WireClient.connect(wsUrl, 'driver');
    try {
      const { chat } = await newSession(driver, pathToFileURL(folder).href);
      const message = {
        text: `stream ${CHUNKS} every 0`,
        origin: { kind: 'user' },
        model: { id: 'demo-fast' },
      };
      let expected = 0;
      const throughput = (olderCount: number) => (): Promise<number> =>
        untilWhole(async () => {
          await subscribers.ask({ kind: 'connect', url: wsUrl, count: SUBSCRIBERS, chat, olderCount });
          await subscribers.ask({ kind: 'expect', isRecorded: false });
          const startedAt = new Date().toISOString();
          driver.dispatch(chat, {
            type: 'chat/turnStarted',
            turnId: crypto.randomUUID(),
            startedAt,
            message,
          });
          const { ms, envelopes } = await subscribers.ask<{ ms: number; envelopes: number }>({
            kind: 'receive',
          });
          expected = Math.max(expected, envelopes);
          return envelopes < expected ? undefined : envelopes / ms;
        });
      await throughput(0)();
      await throughput(SUBSCRIBERS / 2)();
      const found = await alternate(throughput(SUBSCRIBERS / 2), throughput(0));
      const text = (perMs: number): string => `${Math.round(perMs)}k/s`;
      return [
        {
          name: 'fan-out to 100, half at 0.5.2',
          figure: text(found.ours),
          baseline: text(found.baseline),
          ratio: found.ratio,
          bar: { atLeast: 0.6 },
        },
      ];
    } finally {
      await driver.close();
      await Promise.all([host.end(), subscribers.end()]);
    }
  });
}
