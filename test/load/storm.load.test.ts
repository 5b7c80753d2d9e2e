import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import type { CrowdState } from './crowd.ts';
import { CrowdedHost, memoryOf, statesOf } from './crowded-host.ts';

const MEGABYTE = 1_000_000;
const CLIENTS = 500;
const MOST_ON_THE_WAY_BYTES = 400 * MEGABYTE;

test('500 clients that come back at once to a host that was killed all get what they missed, and it is as small afterwards', async () => {
  const host = await CrowdedHost.start();
  const { crowd, url } = host;
  const { owner, chat, channels } = await host.open();
  await crowd.ask({ kind: 'join', url, count: CLIENTS, channels });
  await crowd.ask({ kind: 'leave' });
  const lastSeq = await wireTurn(owner, chat, 'stream 300 every 0 of 4000');
  await host.restart();
  const before = await host.sample();
  const other = await WireClient.connect(host.url, 'other');
  await crowd.ask({ kind: 'return', deafMs: 6_000 });
  const settled = crowd.ask<CrowdState>({ kind: 'settle', channel: chat, seq: lastSeq });
  const ended = new AbortController();
  void settled.finally(() => ended.abort());
  const begunAt = performance.now();
  const waits: number[] = [];
  while (!ended.signal.aborted) {
    const from = performance.now();
    await other.request('listSessions', { channel: 'ahp-root://' });
    waits.push(performance.now() - from);
    await pause(20);
  }
  const state = await settled;
  const tookMs = performance.now() - begunAt;
  const after = await host.sample();
  expect(state.histories).toBe(1);
  // One that waited for more than a minute, on a machine as busy as that, asks again.
  expect(Object.keys(state.returns)).toEqual(['replay']);
  expect(state.states).toEqual(await statesOf(other, channels));
  const figures = JSON.stringify({
    before,
    after,
    slowestMs: Math.max(...waits),
    tookMs,
    count: waits.length,
  });
  console.log(figures);
  // What all of them missed comes to 600 MB: made at once, none of it read, it would all be in memory.
  expect(after.peakRssBytes - before.rssBytes, figures).toBeLessThan(MOST_ON_THE_WAY_BYTES);
  // 500 connections, their clients, and the channels that they look at.
  expect(memoryOf(after) - memoryOf(before), figures).toBeLessThan(30 * MEGABYTE);
  // Made in one go, the answers held up everybody else until their end. How long each took is printed: no time decides.
  expect(waits.length, figures).toBeGreaterThan(3);
  await other.close();
}, 180_000);
