// Effects of invalid or excessive messages of non-admin tokens on everybody else.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BenchProcess } from '../../bench/process.ts';
import { WireClient } from '../../bench/wire.ts';
import { CrowdedHost } from './crowded-host.ts';
import { FLOOD_BARS, getIn, rounded, tokenFor } from './flood.ts';
import type { LoudRequest, Noise } from './loud.ts';
import { watchPings } from './worst-ping.ts';

const MEBIBYTE = 1024 * 1024;

interface Flood {
  readonly name: string;
  readonly scope: 'observe' | 'interact';
  readonly count: number;
  readonly noise: Noise;
  readonly comesBack?: boolean;
}

const requests = { kind: 'requests' } as const;
const pings = { kind: 'pings' } as const;
const messagesOf = (of: string) => ({ kind: 'messages', bytes: 15 * MEBIBYTE, of }) as const;
const observe = { scope: 'observe', count: 900 } as const;
const interact = { scope: 'interact', count: 900 } as const;

const FLOODS: readonly Flood[] = [
  { name: '900 observers that send requests without end', ...observe, noise: requests },
  { name: '100 observers that do, and come back', ...observe, count: 100, noise: requests, comesBack: true },
  {
    name: '500 connections without a token that send requests of HTTP in a row, and come back',
    ...observe,
    count: 500,
    noise: { kind: 'plain' },
    comesBack: true,
  },
  { name: '900 observers that send control frames without end', ...observe, noise: pings },
  {
    name: '900 observers with a message that never ends',
    ...observe,
    noise: { kind: 'unfinished', bytes: 120 * 1024 },
  },
  {
    name: '300 observers with one that comes byte by byte',
    ...observe,
    count: 300,
    noise: { kind: 'pieces', bytes: 120 * 1024 },
  },
  { name: '900 clients that may act and send requests without end', ...interact, noise: requests },
  { name: '900 clients that may act and send control frames without end', ...interact, noise: pings },
  {
    name: '100 clients that may act, with a message that never ends',
    ...interact,
    count: 100,
    noise: { kind: 'unfinished', bytes: 15 * MEBIBYTE },
  },
  {
    name: '4 clients that may act, with nothing but brackets',
    ...interact,
    count: 4,
    noise: messagesOf('[],'),
  },
  {
    name: '4 clients that may act, with nothing but objects',
    ...interact,
    count: 4,
    noise: messagesOf('{},'),
  },
  {
    name: '20 clients that may act, with long texts',
    ...interact,
    count: 20,
    noise: messagesOf(`"${'x'.repeat(100_000)}",`),
  },
];

test.each(FLOODS.map((flood) => [flood.name, flood] as const))(
  '%s: no other client is delayed',
  async (_, { scope, count, noise, comesBack = false }) => {
    const host = await CrowdedHost.start();
    const { owner } = await host.open();
    const { url } = await tokenFor(host, owner, { name: 'loud', scope });
    const loud = new BenchProcess('../test/load/loud.ts');
    onTestFinished(() => loud.kill());
    const watched = watchPings(await WireClient.connect(host.url, 'pinger'));
    const opened = loud.ask({ url, count, noise, comesBack } satisfies LoudRequest);
    const ownerMs: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      ownerMs.push(await getIn(host.url, `owner-${round}`));
      await pause(500);
    }
    await opened;
    const worstPingMs = await watched.end();
    const { peakRssBytes } = await host.sample();
    const state = await loud.ask<object>({ kind: 'state' });
    console.log(rounded({ ownerMs, worstPingMs, peakRssBytes, ...state }));
    expect(Math.max(...ownerMs)).toBeLessThan(FLOOD_BARS.getInMs);
    expect(worstPingMs).toBeLessThan(FLOOD_BARS.pingMs);
    expect(peakRssBytes).toBeLessThan(FLOOD_BARS.peakRssBytes);
    await owner.close();
  },
  120_000,
);
