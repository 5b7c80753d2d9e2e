import { expect, test } from 'vitest';
import { wireTurn } from '../../bench/wire-turn.ts';
import type { CrowdState } from './crowd.ts';
import { CrowdedHost, memoryOf, statesOf } from './crowded-host.ts';

/** Blocks of code that ran more than `times` as often as before. Rare blocks do not count. */
function grownBeyond(times: number, few: Map<string, number>, many: Map<string, number>): string[] {
  return [...many]
    .filter(([place, count]) => count > 10_000 && count > times * (few.get(place) ?? 1))
    .map(([place, count]) => `${place}: ${few.get(place) ?? 0} → ${count}`);
}

test('500 clients with 5 subscriptions each get all envelopes, at a low cost each that does not grow with the square of their number', async () => {
  const host = await CrowdedHost.start({ countsWork: true });
  const { crowd, url } = host;
  const { owner, chat, session, channels } = await host.open({ hasTurn: true });
  const everything = async (): Promise<number> => {
    for (let index = 0; index < 20; index += 1)
      owner.dispatch(session, { type: 'session/titleChanged', title: `title ${index}` });
    return wireTurn(owner, chat, 'think about it; stream 150 every 0 of 100; progress 5 every 0');
  };
  const workDone = (): Promise<Map<string, number>> => host.ask<Map<string, number>>({ kind: 'workDone' });
  await workDone();
  await crowd.ask({ kind: 'join', url, count: 100, channels });
  const before = await host.sample();
  const firstJoin = await workDone();
  const firstSeq = await everything();
  const firstState = await crowd.ask<CrowdState>({ kind: 'settle', channel: chat, seq: firstSeq });
  const firstWork = await workDone();
  expect(firstState).toMatchObject({ histories: 1, states: await statesOf(owner, channels) });

  await crowd.ask({ kind: 'join', url, count: 400, channels });
  const eachBytes = (memoryOf(await host.sample()) - memoryOf(before)) / 400;
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
  // 4 times as many clients join a crowd that becomes 5 times as large. Work of each for all others would grow 24 and 25 times.
  expect(grownBeyond(6, firstJoin, secondJoin)).toEqual([]);
  expect(grownBeyond(7, firstWork, secondWork)).toEqual([]);
  expect(eachBytes).toBeLessThan(100_000);
  await owner.close();
}, 120_000);
