import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { OutputPace } from './output-pace.ts';

/** Times of flushes, in ms since the start, and how to let something arrive. */
function pace(): { clock: SimulatedClock; flushed: number[]; arrived(length: number): void } {
  const clock = new SimulatedClock();
  const startedAt = clock.now();
  const flushed: number[] = [];
  const made = new OutputPace(clock, () => flushed.push(clock.now() - startedAt));
  return { clock, flushed, arrived: (length) => made.arrived(length) };
}

test('the first output after a silence goes at once, and a flood after 6 ms or 64 KiB', async () => {
  const { clock, flushed, arrived } = pace();
  arrived(4_096);
  arrived(4_096);
  expect(flushed).toEqual([0]);
  await clock.advance(6);
  expect(flushed).toEqual([0, 6]);
  arrived(10_000);
  arrived(65_536);
  expect(flushed).toEqual([0, 6, 6]);
  await clock.advance(100);
  expect(flushed).toEqual([0, 6, 6]);
});

test('a flood stays in pieces of full length: the time begins again with each', async () => {
  const { clock, flushed, arrived } = pace();
  arrived(4_096);
  await clock.advance(5);
  arrived(65_536);
  arrived(4_096);
  await clock.advance(5);
  expect(flushed).toEqual([0, 5]);
  await clock.advance(1);
  expect(flushed).toEqual([0, 5, 11]);
});

test('little output does not wait for the time to pass, a few times', async () => {
  const { clock, flushed, arrived } = pace();
  for (let key = 0; key < 10; key += 1) arrived(1);
  expect(flushed).toEqual([0, 0, 0, 0, 0]);
  await clock.advance(6);
  expect(flushed).toEqual([0, 0, 0, 0, 0, 6]);
});
