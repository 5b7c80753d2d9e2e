import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import type { CrowdState } from './crowd.ts';
import { CrowdedHost, memoryOf, statesOf } from './crowded-host.ts';

const MEGABYTE = 1_000_000;
const CLIENTS = 500;
const MOST_ON_THE_WAY_BYTES = 400 * MEGABYTE;

test('500 clients that return to a killed host at once all get the missed envelopes, and the host stays small', async () => {
  const host = await CrowdedHost.start();
  const { crowd, url } = host;
  const { owner, chat, channels } = await host.open({ hasTurn: true });
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
  // On a busy machine a client that waits for more than a minute requests again.
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
  // All missed envelopes together are 600 MB, which would be in memory if the host built all answers at once.
  expect(after.peakRssBytes - before.rssBytes, figures).toBeLessThan(MOST_ON_THE_WAY_BYTES);
  // Memory of 500 connections, their clients and their channels.
  expect(memoryOf(after) - memoryOf(before), figures).toBeLessThan(30 * MEGABYTE);
  // Without pauses the answers would block all other clients until their end. The times are printed and not checked.
  expect(waits.length, figures).toBeGreaterThan(3);
  await other.close();
}, 180_000);
