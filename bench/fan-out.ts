import { pathToFileURL } from 'node:url';
import { alternate, type Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

/** Chunks of one turn: few enough that no client falls behind and gets merged envelopes. */
const CASES = [
  { subscribers: 1, chunks: 50_000, atLeast: 0.6 },
  { subscribers: 10, chunks: 8_000, atLeast: 0.8 },
  { subscribers: 100, chunks: 2_000, atLeast: 0.9 },
] as const;

const MOST_ATTEMPTS = 20;

/** One turn as its subscribers received it. */
interface Received {
  readonly ms: number;
  /** Envelopes parsed by all subscribers together. */
  readonly envelopes: number;
}

/**
 * A demo turn at the highest speed, journaled on disk and sent to subscribers in another process. The baseline is a bare `ws` server that
 * sends the same frames, prepared beforehand, in the same batches to the same subscribers.
 */
export async function fanOut(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = new BenchProcess('./fan-out-host.ts');
    const bare = new BenchProcess('./fan-out-bare.ts');
    try {
      const { wsUrl } = await host.ask<{ wsUrl: string }>({ kind: 'start', folder });
      const { url } = await bare.ask<{ url: string }>({ kind: 'start' });
      const results: Measured[] = [];
      for (const each of CASES) results.push(await measure({ host, bare, wsUrl, url, folder }, each));
      return results;
    } finally {
      await Promise.all([host.end(), bare.end()]);
    }
  });
}

async function measure(
  servers: { host: BenchProcess; bare: BenchProcess; wsUrl: string; url: string; folder: string },
  { subscribers: count, chunks, atLeast }: (typeof CASES)[number],
): Promise<Measured> {
  const { host, bare, wsUrl, url, folder } = servers;
  const subscribers = new BenchProcess('./fan-out-subscribers.ts');
  const driver = await WireClient.connect(wsUrl, `driver-${count}`);
  try {
    const { chat } = await newSession(driver, pathToFileURL(folder).href);
    const message = {
      text: `stream ${chunks} every 0`,
      origin: { kind: 'user' },
      model: { id: 'demo-fast' },
    };
    const turn = (): void =>
      driver.dispatch(chat, {
        type: 'chat/turnStarted',
        turnId: crypto.randomUUID(),
        startedAt: new Date().toISOString(),
        message,
      });

    let expected = 0;
    const record = (): Promise<true> =>
      untilWhole(async () => {
        await subscribers.ask({ kind: 'expect', isRecorded: true });
        await host.ask({ kind: 'count', chat });
        turn();
        const { frames } = await subscribers.ask<{ frames: Buffer[] }>({ kind: 'receive' });
        const { batches } = await host.ask<{ batches: number[] }>({ kind: 'batches' });
        if (frames.length < batches.reduce((total, size) => total + size, 0)) return undefined;
        await bare.ask({ kind: 'load', frames, batches });
        expected = frames.length * count;
        return true;
      });
    const throughput = async (begin: () => unknown): Promise<number | undefined> => {
      await subscribers.ask({ kind: 'expect', isRecorded: false });
      await begin();
      const { ms, envelopes } = await subscribers.ask<Received>({ kind: 'receive' });
      return envelopes < expected ? undefined : envelopes / ms;
    };
    const ours = (): Promise<number> =>
      untilWhole(async () => {
        await subscribers.ask({ kind: 'connect', url: wsUrl, count, chat });
        return throughput(turn);
      });
    const theirs = (): Promise<number> =>
      untilWhole(async () => {
        await subscribers.ask({ kind: 'connect', url, count });
        return throughput(() => bare.ask({ kind: 'broadcast' }));
      });

    await subscribers.ask({ kind: 'connect', url: wsUrl, count, chat });
    // Warms up, and records the frames and batches for the baseline.
    await record();
    await record();
    await theirs();
    const found = await alternate(ours, theirs);
    const text = (perMs: number): string => `${Math.round(perMs)}k/s`;
    return {
      name: `fan-out to ${count}`,
      figure: text(found.ours),
      baseline: text(found.baseline),
      ratio: found.ratio,
      bar: { atLeast },
    };
  } finally {
    await driver.close();
    await subscribers.end();
  }
}

/** Repeats a run in which the host merged envelopes for a subscriber that other load on the machine slowed down. */
export async function untilWhole<T>(run: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const result = await run();
    if (result !== undefined) return result;
  }
  throw new Error(`${MOST_ATTEMPTS} times some envelopes were merged: the machine is too busy`);
}
