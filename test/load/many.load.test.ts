import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sample } from '../../bench/measured-host.ts';
import { BenchProcess } from '../../bench/process.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import type { CrowdState } from './crowd.ts';

let folder = '';
let host: BenchProcess;
let crowd: BenchProcess;
let url = '';
let port = 0;

const startHost = async (): Promise<void> => {
  host = new BenchProcess('./measured-host.ts', ['--expose-gc'], { NODE_DISABLE_COMPILE_CACHE: '1' });
  await host.ask({ kind: 'countWork' });
  ({ url, port } = await host.ask<{ url: string; port: number }>({
    kind: 'start',
    folder,
    isShort: false,
    port,
  }));
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-many-'));
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

/** Two sessions and the root: five channels. */
async function open(): Promise<{ owner: WireClient; chat: string; session: string; channels: string[] }> {
  const owner = await WireClient.connect(url, 'owner');
  const first = await newSession(owner, pathToFileURL(folder).href);
  const second = await newSession(owner, pathToFileURL(folder).href);
  const channels = ['ahp-root://', first.session, first.chat, second.session, second.chat];
  for (const channel of channels) await owner.request('subscribe', { channel });
  return { owner, ...first, channels };
}

/** What is the host's own, of each channel. */
async function statesOf(owner: WireClient, channels: readonly string[]): Promise<Record<string, string[]>> {
  const states: Record<string, string[]> = {};
  for (const channel of channels) {
    const { snapshot } = await owner.request<{ snapshot: { state: object } }>('subscribe', { channel });
    states[channel] = [JSON.stringify(snapshot.state)];
  }
  return states;
}

/** Pieces of code that ran more often than `times` as often as before, but for what hardly ran at all. */
function grownBeyond(times: number, few: Map<string, number>, many: Map<string, number>): string[] {
  return [...many]
    .filter(([place, count]) => count > 10_000 && count > times * (few.get(place) ?? 1))
    .map(([place, count]) => `${place}: ${few.get(place) ?? 0} → ${count}`);
}

test('500 clients with 5 subscriptions each get all that happens, cost little each, and nothing that grows with their square', async () => {
  const { owner, chat, session, channels } = await open();
  const everything = async (): Promise<number> => {
    for (let index = 0; index < 20; index += 1)
      owner.dispatch(session, { type: 'session/titleChanged', title: `title ${index}` });
    return wireTurn(owner, chat, 'think about it; stream 150 every 0 of 100; progress 5 every 0');
  };
  const workDone = (): Promise<Map<string, number>> => host.ask<Map<string, number>>({ kind: 'workDone' });
  await workDone();
  await crowd.ask({ kind: 'join', url, count: 100, channels });
  const before = await sample();
  const firstJoin = await workDone();
  const firstSeq = await everything();
  const firstState = await crowd.ask<CrowdState>({ kind: 'settle', channel: chat, seq: firstSeq });
  const firstWork = await workDone();
  expect(firstState).toMatchObject({ histories: 1, states: await statesOf(owner, channels) });

  await crowd.ask({ kind: 'join', url, count: 400, channels });
  const eachBytes = (memoryOf(await sample()) - memoryOf(before)) / 400;
  const secondJoin = await workDone();
  const numbers: number[] = [];
  owner.socket.on('message', (frame: Buffer) => {
    const { method, params } = JSON.parse(frame.toString());
    if (method === 'action') numbers.push(params.serverSeq);
  });
  const lastSeq = await everything();
  const state = await crowd.ask<CrowdState>({ kind: 'settle', channel: chat, seq: lastSeq });
  const secondWork = await workDone();
  expect(numbers.length).toBeGreaterThan(170);
  expect(state).toMatchObject({ histories: 1, seen: { least: numbers.length, most: numbers.length } });
  expect(state.states).toEqual(await statesOf(owner, channels));
  // 4 times as many come, and 5 times as many are there; what each did for all others would be 24 and 25 times as much.
  expect(grownBeyond(6, firstJoin, secondJoin)).toEqual([]);
  expect(grownBeyond(7, firstWork, secondWork)).toEqual([]);
  expect(eachBytes).toBeLessThan(100_000);
  await owner.close();
}, 120_000);
