import { pathToFileURL } from 'node:url';
import { alternate, type Measured } from './bar.ts';
import { BenchProcess, measuredHost, withFolder } from './process.ts';
import { SlowReader } from './slow-reader.ts';
import { newSession, WireClient } from './wire.ts';
import { wireTurn } from './wire-turn.ts';

const FAST_CLIENTS = 10;
const BYTES_PER_SECOND = 1_000;
/** Text that fills the operating system's buffers to the slow client, so that the rest waits in its outbox. */
const FLOOD = 'stream 1500 every 0 of 4000';
/** Streams during the measurement; the host merges its envelopes in that outbox. */
const STREAM = 'stream 2500 every 1 of 200';
const TITLES = 250;
const GAP_MS = 10;

/**
 * The p99 of the delay at which ten clients receive dispatches while a turn streams to all, with and without a client that reads 1 kB/s.
 */
export async function slowClient(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = measuredHost();
    const fast = new BenchProcess('./slow-client-fast.ts');
    try {
      const { url } = await host.ask<{ url: string }>({ kind: 'start', folder, isShort: false });
      const owner = await WireClient.connect(url, 'owner');
      const { session, chat } = await newSession(owner, pathToFileURL(folder).href);
      await owner.request('subscribe', { channel: chat, view: { turns: 1 } });
      await fast.ask({ kind: 'connect', url, session, chat, count: FAST_CLIENTS });
      let slowCount = 0;

      const round = async (isSlow: boolean): Promise<number> => {
        slowCount += 1;
        const slow = isSlow
          ? await SlowReader.connect(url, `slow-${slowCount}`, BYTES_PER_SECOND)
          : undefined;
        slow?.ask('subscribe', { channel: chat, view: { turns: 1 } });
        slow?.ask('subscribe', { channel: session });
        await wireTurn(owner, chat, FLOOD);
        const streaming = wireTurn(owner, chat, STREAM);
        const { p99 } = await fast.ask<{ p99: number }>({ kind: 'measure', titles: TITLES, gapMs: GAP_MS });
        await streaming;
        if (slow !== undefined && !slow.isOpen)
          throw new Error('the slow client was cut off: nothing was measured');
        slow?.close();
        return p99;
      };

      await round(true);
      await round(false);
      const found = await alternate(
        () => round(true),
        () => round(false),
      );
      await owner.close();
      const text = (ms: number): string => `${ms.toFixed(1)} ms`;
      return [
        {
          name: `p99 of ${FAST_CLIENTS} beside 1 kB/s`,
          figure: text(found.ours),
          baseline: text(found.baseline),
          ratio: found.ratio,
          bar: { atMost: 1.5 },
        },
      ];
    } finally {
      await Promise.all([fast.end(), host.end()]);
    }
  });
}
