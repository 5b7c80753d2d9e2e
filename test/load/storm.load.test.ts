import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sample } from '../../bench/measured-host.ts';
import { BenchProcess } from '../../bench/process.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import type { CrowdState } from './crowd.ts';

const MEGABYTE = 1_000_000;
const CLIENTS = 500;
const MOST_ON_THE_WAY_BYTES = 400 * MEGABYTE;

let folder = '';
let host: BenchProcess;
let crowd: BenchProcess;
let url = '';
let port = 0;

async function startHost(): Promise<void> {
  host = new BenchProcess('./measured-host.ts', ['--expose-gc']);
  ({ url, port } = await host.ask<{ url: string; port: number }>({
    kind: 'start',
    folder,
    isShort: false,
    port,
  }));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-storm-'));
  port = 0;
  await startHost();
  crowd = new BenchProcess('../test/load/crowd.ts');
});

afterEach(async () => {
  await Promise.all([crowd.end(), host.end()]);
  await rm(folder, { recursive: true, force: true });
});

const sample = (): Promise<Sample> => host.ask<Sample>({ kind: 'sample' });
const memoryOf = ({ heapBytes, externalBytes }: Sample): number => heapBytes + externalBytes;

test('500 clients that come back at once to a host that was killed all get what they missed, and it is as small afterwards', async () => {
  const owner = await WireClient.connect(url, 'owner');
  const first = await newSession(owner, pathToFileURL(folder).href);
  const second = await newSession(owner, pathToFileURL(folder).href);
  const channels = ['ahp-root://', first.session, first.chat, second.session, second.chat];
  await owner.request('subscribe', { channel: first.chat });
  await crowd.ask({ kind: 'join', url, count: CLIENTS, channels });
  await crowd.ask({ kind: 'leave' });
  const lastSeq = await wireTurn(owner, first.chat, 'stream 300 every 0 of 4000');
  await host.kill();
  await startHost();
  const before = await sample();
  const other = await WireClient.connect(url, 'other');
  await crowd.ask({ kind: 'return', deafMs: 6_000 });
  const settled = crowd.ask<CrowdState>({ kind: 'settle', channel: first.chat, seq: lastSeq });
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
  const after = await sample();
  expect(state.histories).toBe(1);
  // One that waited for more than a minute, on a machine as busy as that, asks again.
  expect(Object.keys(state.returns)).toEqual(['replay']);
  for (const channel of channels) {
    const { snapshot } = await other.request<{ snapshot: { state: object } }>('subscribe', { channel });
    expect(state.states[channel]).toEqual([JSON.stringify(snapshot.state)]);
  }
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
  // Made in one go, the answers held up everybody else for a good part of all of it.
  expect(Math.max(...waits) / tookMs, figures).toBeLessThan(0.08);
  expect(waits.length, figures).toBeGreaterThan(20);
  await other.close();
}, 180_000);
