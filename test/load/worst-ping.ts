import { setTimeout as delay } from 'node:timers/promises';
import { WireClient } from '../../bench/wire.ts';

/** Pause between two pings, in ms. */
const EVERY_MS = 20;

/** The longest time to answer a ping of another client while `flood` runs, in ms. */
export async function worstPingDuring(url: string, flood: () => Promise<unknown>): Promise<number> {
  const client = await WireClient.connect(url, `ping-${crypto.randomUUID()}`);
  await ping(client);
  const watch = watchPings(client);
  let worstMs = 0;
  try {
    await flood();
  } finally {
    worstMs = await watch.end();
  }
  await client.close();
  return worstMs;
}

/** Pings a host until `end`, which resolves with the longest answer time in ms. */
export function watchPings(client: WireClient): { end(): Promise<number> } {
  const over = new AbortController();
  const watch = pingUntil(client, over.signal);
  return {
    end: () => {
      over.abort();
      return watch;
    },
  };
}

async function pingUntil(client: WireClient, over: AbortSignal): Promise<number> {
  let worstMs = 0;
  do {
    worstMs = Math.max(worstMs, await ping(client));
    await delay(EVERY_MS);
  } while (!over.aborted);
  return worstMs;
}

async function ping(client: WireClient): Promise<number> {
  const startedAt = performance.now();
  await client.request('ping', { channel: 'ahp-root://' });
  return performance.now() - startedAt;
}
