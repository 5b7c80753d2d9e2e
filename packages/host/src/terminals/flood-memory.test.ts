import { SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { FloodMemory } from './flood-memory.ts';

const MEBIBYTE = 1024 * 1024;

function setUp() {
  const clock = new SimulatedClock();
  const start = clock.now();
  const told: [number, boolean][] = [];
  const memory = new FloodMemory({ clock, timers: clock }, (isThrifty) =>
    told.push([clock.now() - start, isThrifty]),
  );
  return { clock, memory, told };
}

it('a flood is told when it begins, and two seconds after its last quarter of a second', async () => {
  const { clock, memory, told } = setUp();
  for (let index = 0; index < 100; index += 1) {
    memory.took(MEBIBYTE / 4);
    await clock.advance(10);
  }
  await clock.advance(10_000);
  expect(told).toEqual([
    [30, true],
    [3_030, false],
  ]);
});

it('output that is read as it comes is no flood, however long it lasts', async () => {
  const { clock, memory, told } = setUp();
  for (let index = 0; index < 100; index += 1) {
    memory.took(MEBIBYTE / 3);
    await clock.advance(200);
  }
  expect(told).toEqual([]);
});

it('a flood that pauses goes on being one, and can begin again after its end', async () => {
  const { clock, memory, told } = setUp();
  for (const pauseMs of [1_500, 5_000, 5_000]) {
    memory.took(2 * MEBIBYTE);
    await clock.advance(pauseMs);
  }
  expect(told.map(([, isThrifty]) => isThrifty)).toEqual([true, false, true, false]);
});

it('the end of everything ends a flood, once', async () => {
  const { clock, memory, told } = setUp();
  memory.took(MEBIBYTE);
  memory.end();
  memory.end();
  await clock.advance(5_000);
  expect(told).toEqual([
    [0, true],
    [0, false],
  ]);
});
