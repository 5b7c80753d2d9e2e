import { SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { FloodMemory } from './flood-memory.ts';

const MEBIBYTE = 1024 * 1024;

function setUp() {
  const clock = new SimulatedClock();
  const start = clock.now();
  const told: [number, boolean][] = [];
  const collected: number[] = [];
  const memory = new FloodMemory(
    { clock, timers: clock },
    {
      setThrifty: (isThrifty) => told.push([clock.now() - start, isThrifty]),
      collect: () => collected.push(clock.now() - start),
    },
  );
  return { clock, memory, told, collected };
}

it('a flood is told when it begins, and two seconds after its last quarter of a second', async () => {
  const { clock, memory, told } = setUp();
  for (let index = 0; index < 100; index += 1) {
    memory.took(MEBIBYTE / 64);
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
    memory.took(MEBIBYTE / 48);
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

it('a flood that goes on has the heap collected once, and so does the next', async () => {
  const { clock, memory, told, collected } = setUp();
  for (const count of [24, 24, 4]) {
    for (let index = 0; index < count; index += 1) {
      memory.took(MEBIBYTE / 16);
      await clock.advance(100);
    }
    await clock.advance(5_000);
  }
  expect(told).toHaveLength(6);
  // The sixteenth read of each; the last flood was over before it was worth it.
  expect(collected).toEqual([1_500, 7_400 + 1_500]);
});

it('a start counts as a flood until it is calm, and one that it meets goes on', async () => {
  for (const isMet of [false, true]) {
    const { clock, memory, told, collected } = setUp();
    memory.begin();
    memory.begin();
    await clock.advance(1_000);
    if (isMet) memory.took(MEBIBYTE);
    await clock.advance(10_000);
    expect(told).toEqual([
      [0, true],
      [isMet ? 3_250 : 2_000, false],
    ]);
    expect(collected).toEqual(isMet ? [1_000] : []);
  }
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
