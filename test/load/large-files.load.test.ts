// Clients of one token that read large files without end.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { BenchProcess } from '../../bench/process.ts';
import { WireClient } from '../../bench/wire.ts';
import { CrowdedHost } from './crowded-host.ts';
import { FLOOD_BARS, getIn, rounded, tokenFor } from './flood.ts';
import type { HeavyClient } from './heavy-crowd.ts';
import { watchPings } from './worst-ping.ts';

const ROOT = 'ahp-root://';
const CLIENTS = 20;
const REQUESTS = 8;
const FLOOD_MS = 6_000;
/** The maximum for one read. */
const FILE_BYTES = 24 * 1024 * 1024;

for (const [kind, content] of [
  ['binary', randomBytes(FILE_BYTES)],
  ['text', Buffer.alloc(FILE_BYTES, 'a line with "quotes"\n')],
] as const)
  test(`${kind} files of the largest size, read by ${CLIENTS} clients of one token with ${REQUESTS} requests each at a time, delay no other client`, async () => {
    const host = await CrowdedHost.start();
    const { owner, session } = await host.open();
    const { snapshot } = await owner.request<{ snapshot: { state: { workingDirectories: string[] } } }>(
      'subscribe',
      {
        channel: session,
      },
    );
    const folder = join(fileURLToPath(snapshot.state.workingDirectories[0] ?? ''), 'large');
    await mkdir(folder);
    const file = join(folder, 'file');
    await writeFile(file, content);
    const { url } = await tokenFor(host, owner, { name: 'reader', scope: 'interact' });
    const crowd = new BenchProcess('../test/load/heavy-crowd.ts');
    onTestFinished(() => crowd.end());
    const read = {
      method: 'resourceRead',
      params: { channel: ROOT, uri: pathToFileURL(file).href },
      isRequest: true,
    } as const;
    const clients = Array.from(
      { length: CLIENTS },
      (_, index): HeavyClient => ({
        url,
        clientId: `reader-${index}`,
        first: [],
        messages: [read],
      }),
    );
    const pings = watchPings(await WireClient.connect(host.url, 'pinger'));
    await crowd.ask({ kind: 'flood', clients, everyMs: 1_000, atOnce: REQUESTS });
    const ownerMs: number[] = [];
    const until = performance.now() + FLOOD_MS;
    while (performance.now() < until) {
      ownerMs.push(await getIn(host.url, `owner-${ownerMs.length}`));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const counts = await crowd.ask<object>({ kind: 'count' });
    await crowd.ask({ kind: 'end' });
    const worstPingMs = await pings.end();
    const { peakRssBytes } = await host.sample();
    const getInMs = Math.max(...ownerMs);
    console.log(rounded({ kind, getInMs, worstPingMs, peakRssBytes, ...counts }));
    expect(getInMs).toBeLessThan(FLOOD_BARS.getInMs);
    expect(worstPingMs).toBeLessThan(FLOOD_BARS.pingMs);
    expect(peakRssBytes).toBeLessThan(FLOOD_BARS.peakRssBytes);
    await owner.close();
  }, 120_000);
