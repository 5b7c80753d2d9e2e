import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { contentText } from '@agenthost/client';
import type { TerminalState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sample } from '../../bench/measured-host.ts';
import { type BenchProcess, measuredHost } from '../../bench/process.ts';
import { WireClient } from '../../bench/wire.ts';
import { endKeepers } from '../kill/processes.ts';
import { memoryOf } from './crowded-host.ts';

const MEGABYTE = 1_000_000;
const TERMINALS = Number(process.env['TERMINALS'] ?? 40);
/** Output of all terminals before the kill of the host, and a part of it again while the host is down. */
const FLOOD_BYTES = Number(process.env['FLOOD_MEGABYTES'] ?? 150) * MEGABYTE;
const BEHIND_BYTES = FLOOD_BYTES / 6;
const PEAK_BYTES = 500 * MEGABYTE;
/** Limit for the memory that remains after the output is stored, mostly code that was loaded for it. */
const LEFT_BYTES = 30 * MEGABYTE;
/** Bytes of a line of `yes`: 78 characters and the CR LF of the pty. */
const LINE_BYTES = 80;

interface Started {
  readonly url: string;
  readonly pid: number;
  readonly startMs: number;
  readonly terminals: number;
}

let folder = '';
let host: BenchProcess | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-terminal-start-')));
});

afterEach(async () => {
  await host?.end();
  host = undefined;
  await endKeepers(join(folder, 'data'));
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** `isShort`: idle channels leave memory within seconds. */
async function start(isShort = false): Promise<Started> {
  host = measuredHost();
  return host.ask<Started>({ kind: 'start', folder, isShort });
}

const sample = async (): Promise<Sample> => {
  if (host === undefined) throw new Error('the host is down');
  return host.ask<Sample>({ kind: 'sample' });
};

/** Resolves when all terminals have left memory. */
async function whenUnloaded(): Promise<Sample> {
  for (let triesLeft = 120; triesLeft > 0; triesLeft -= 1) {
    const now = await sample();
    if (now.terminals === 0) return now;
    await pause(1_000);
  }
  throw new Error('in vain: that terminals leave memory');
}

const uriOf = (index: number): string => `ahp-terminal:/t${index}`;

async function stateOf(client: WireClient, index: number): Promise<TerminalState> {
  const channel = uriOf(index);
  const { snapshot } = await client.request<{ snapshot: { state: TerminalState } }>('subscribe', { channel });
  client.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } }));
  return snapshot.state;
}

/** Terminals whose programs put out their share, wait for a file, put out more, and then end (every second one) or wait. */
async function flood(client: WireClient): Promise<void> {
  const lines = (bytes: number): number => Math.ceil(bytes / TERMINALS / LINE_BYTES);
  for (let index = 0; index < TERMINALS; index += 1) {
    const put = (letter: string, count: number): string =>
      `yes "$(printf '%078d' ${index} | tr 0 ${letter})" | head -n ${count}`;
    const script = `${put('a', lines(FLOOD_BYTES))}; echo flooded ${index}
      while [ ! -e ${folder}/gate ]; do sleep 0.2; done
      ${put('b', lines(BEHIND_BYTES))}; echo end ${index}; echo >> ${folder}/ended
      ${index % 2 === 0 ? 'exit 3' : 'exec sleep 1000'}`;
    await client.request('createTerminal', {
      channel: uriOf(index),
      claim: { kind: 'client', clientId: 'owner' },
      'x-command': ['/bin/sh', '-c', script],
    });
  }
  for (let index = 0; index < TERMINALS; index += 1) {
    const shown = async (): Promise<string> => contentText((await stateOf(client, index)).content);
    for (let triesLeft = 3_000; !(await shown()).includes(`flooded ${index}\r\n`); triesLeft -= 1) {
      if (triesLeft === 0) throw new Error(`in vain: the output of terminal ${index}`);
      await pause(100);
    }
  }
}

/** Resolves when each program has put out everything. */
async function allEnded(): Promise<void> {
  const count = async (): Promise<number> =>
    (await readFile(join(folder, 'ended'), 'utf8').catch(() => '')).length;
  for (let triesLeft = 6_000; (await count()) < TERMINALS; triesLeft -= 1) {
    if (triesLeft === 0) throw new Error(`in vain: the end of ${TERMINALS} programs`);
    await pause(50);
  }
}

/** Pings every few ms. The returned function stops that and resolves with the longest wait, in ms. */
function pinging(client: WireClient): () => Promise<number> {
  const ended = new AbortController();
  const slowest = (async () => {
    let most = 0;
    while (!ended.signal.aborted) {
      const from = performance.now();
      await client.request('ping', { channel: 'ahp-root://' });
      most = Math.max(most, performance.now() - from);
      await pause(5);
    }
    return most;
  })();
  return () => {
    ended.abort();
    return slowest;
  };
}

describe(`a host of ${TERMINALS} terminals that put out ${FLOOD_BYTES / MEGABYTE} MB`, () => {
  test('[CONN-8] that is killed starts without loading them, stores the rest of their output at a bounded pace, and is small again', async () => {
    const empty = await start();
    const first = await WireClient.connect(empty.url, 'owner');
    await flood(first);
    await host?.kill();
    await writeFile(join(folder, 'gate'), '');
    await allEnded();
    const begunAt = performance.now();
    const started = await start(true);
    const client = await WireClient.connect(started.url, 'other');
    await client.request('listSessions', { channel: 'ahp-root://' });
    const inMs = performance.now() - begunAt;
    const early = await sample();
    const slowest = pinging(client);
    let ended = 0;
    for (let triesLeft = 600; ended < TERMINALS / 2; triesLeft -= 1) {
      if (triesLeft === 0) throw new Error(`in vain: the end of half the terminals (${ended} have ended)`);
      await pause(200);
      const { snapshot } = await client.request<{
        snapshot: { state: { terminals: { lifecycle: { exitCode?: number } }[] } };
      }>('subscribe', { channel: 'ahp-root://' });
      ended = snapshot.state.terminals.filter(({ lifecycle }) => lifecycle.exitCode === 3).length;
    }
    const tookMs = performance.now() - begunAt;
    const slowestMs = await slowest();
    const after = await whenUnloaded();
    for (const index of [0, 1, TERMINALS - 1]) {
      const text = contentText((await stateOf(client, index)).content);
      expect(text.slice(-20)).toContain(`end ${index}\r\n`);
    }
    const figures = JSON.stringify({
      startMs: [empty.startMs, started.startMs],
      inMs,
      slowestMs,
      tookMs,
      early,
      after,
    });
    console.log(figures);
    expect(started.terminals, figures).toBe(0);
    expect(after.peakRssBytes, figures).toBeLessThan(PEAK_BYTES);
    expect(memoryOf(after) - memoryOf(early), figures).toBeLessThan(LEFT_BYTES);
    await client.close();
  }, 600_000);

  test('[CONN-8] that is stopped while they are silent starts without loading them, and stays as small as a host without terminals', async () => {
    const first = await start();
    const before = await WireClient.connect(first.url, 'owner');
    await flood(before);
    await before.close();
    await host?.end();
    const started = await start();
    const client = await WireClient.connect(started.url, 'other');
    await pause(1_000);
    const after = await sample();
    const figures = JSON.stringify({ startMs: [first.startMs, started.startMs], after });
    console.log(figures);
    expect(after.terminals, figures).toBe(0);
    expect((await stateOf(client, 0)).content.length).toBeGreaterThan(0);
    await client.close();
  }, 600_000);
});
