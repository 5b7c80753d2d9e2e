// Writes and searches of any text must not delay answers to other clients, and must take bounded memory.
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { hostileTexts } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import { CrowdedHost } from './crowded-host.ts';
import { worstPingDuring } from './worst-ping.ts';

/** On an idle machine a ping takes 5 to 50 ms. Without slices it took 41 s (of 60 turns), and one search never ended. */
const MOST_PING_MS = 4_000;
const MOST_MEMORY_BYTES = 500 * 1024 * 1024;
const TURNS = 30;
const ROOT = 'ahp-root://';
const folder = pathToFileURL(tmpdir()).href;

interface Found {
  readonly items: readonly object[];
}

test('the host answers other clients while it writes turns of any text and finds them by any query', async () => {
  const host = await CrowdedHost.start();
  const { owner } = await host.open();
  for (const { name, text, phrase, beginning } of hostileTexts) {
    const { chat } = await newSession(owner, folder);
    await owner.request('subscribe', { channel: chat, view: { turns: 1 } });
    const writing = await worstPingDuring(host.url, async () => {
      for (let turn = 0; turn < TURNS; turn += 1) await wireTurn(owner, chat, `say ${text}`);
    });
    const counts: number[] = [];
    const searching = await worstPingDuring(host.url, async () => {
      for (const query of [phrase, beginning, phrase.slice(1, -1)]) {
        const { items } = await owner.request<Found>('x-searchSessions', { channel: ROOT, query });
        counts.push(items.length);
      }
    });
    process.stdout.write(
      `${name}: ping ${Math.round(writing)} ms written, ${Math.round(searching)} ms searched\n`,
    );
    expect(writing, name).toBeLessThan(MOST_PING_MS);
    expect(searching, name).toBeLessThan(MOST_PING_MS);
    const isText = /[\p{L}\p{N}]/u.test(text);
    expect([name, ...counts.map((count) => count > 0)]).toEqual([name, isText, isText, isText]);
  }
  const { peakRssBytes } = await host.sample();
  process.stdout.write(`peak memory ${Math.round(peakRssBytes / 1024 / 1024)} MiB\n`);
  expect(peakRssBytes).toBeLessThan(MOST_MEMORY_BYTES);
  await owner.close();
}, 600_000);

test('1,600 searches of 200 connections delay no other client: those beyond the queue limit are refused with a message', async () => {
  const host = await CrowdedHost.start();
  const { owner, chat } = await host.open();
  const text = 'the quick brown fox jumps over lazy dogs '.repeat(100);
  for (let turn = 0; turn < TURNS; turn += 1) await wireTurn(owner, chat, `say ${turn} ${text}`);
  const clients = await Promise.all(
    Array.from({ length: 200 }, (_, index) => WireClient.connect(host.url, `searcher-${index}`)),
  );
  const refused = new Set<string>();
  let answered = 0;
  let createMs = 0;
  const pingMs = await worstPingDuring(host.url, async () => {
    const searches = clients.flatMap((client) =>
      Array.from({ length: 8 }, async (_, index) => {
        const params = { channel: ROOT, query: `quick fox ${index}` };
        await client.request('x-searchSessions', params).then(
          () => {
            answered += 1;
          },
          (error: Error) => refused.add(error.message),
        );
      }),
    );
    const startedAt = performance.now();
    await newSession(owner, folder);
    createMs = performance.now() - startedAt;
    await Promise.all(searches);
  });
  process.stdout.write(
    `ping ${Math.round(pingMs)} ms, a session ${Math.round(createMs)} ms, ${answered} answered\n`,
  );
  expect(answered).toBeGreaterThan(256);
  expect([...refused]).toEqual(['x-searchSessions: 256 searches of this token are waiting: try again later']);
  expect(pingMs).toBeLessThan(MOST_PING_MS);
  expect(createMs).toBeLessThan(4 * MOST_PING_MS);
  await Promise.all([owner, ...clients].map((client) => client.close()));
}, 120_000);
