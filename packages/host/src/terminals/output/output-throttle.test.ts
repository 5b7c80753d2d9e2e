import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { OutputThrottle } from './output-throttle.ts';

/** Times of writes, in ms since the start, and a function that simulates output of some length. */
function throttled(): { clock: SimulatedClock; written: number[]; arrived(length: number): void } {
  const clock = new SimulatedClock();
  const startedAt = clock.now();
  const written: number[] = [];
  const throttle: OutputThrottle = new OutputThrottle(clock, () => {
    throttle.take();
    written.push(clock.now() - startedAt);
  });
  const arrived = (length: number): void => {
    throttle.add({ type: 'text', text: 'x'.repeat(length) }, clock.now());
    throttle.arrived();
  };
  return { clock, written, arrived };
}

test('the first output after a silence goes at once, and a flood after 6 ms or 64 KiB', async () => {
  const { clock, written, arrived } = throttled();
  arrived(4_096);
  arrived(4_096);
  expect(written).toEqual([0]);
  await clock.advance(6);
  expect(written).toEqual([0, 6]);
  arrived(10_000);
  arrived(65_536);
  expect(written).toEqual([0, 6, 6]);
  await clock.advance(100);
  expect(written).toEqual([0, 6, 6]);
});

test('a flood stays in pieces of full length: the delay begins again with each piece', async () => {
  const { clock, written, arrived } = throttled();
  arrived(4_096);
  await clock.advance(5);
  arrived(65_536);
  arrived(4_096);
  await clock.advance(5);
  expect(written).toEqual([0, 5]);
  await clock.advance(1);
  expect(written).toEqual([0, 5, 11]);
});

test('short output does not wait for the delay, a few times', async () => {
  const { clock, written, arrived } = throttled();
  for (let key = 0; key < 10; key += 1) arrived(1);
  expect(written).toEqual([0, 0, 0, 0, 0]);
  await clock.advance(6);
  expect(written).toEqual([0, 0, 0, 0, 0, 6]);
});

test('neighbouring texts are joined, and of working directories only the newest is kept', () => {
  const throttle = new OutputThrottle(new SimulatedClock(), () => undefined);
  const text = (value: string): void => throttle.add({ type: 'text', text: value }, 1);
  text('a');
  throttle.add({ type: 'cwd', path: '/old' }, 2);
  text('b');
  throttle.add({ type: 'mark', mark: { kind: 'prompt' } }, 3);
  throttle.add({ type: 'cwd', path: '/new' }, 4);
  text('c');
  expect(throttle.length).toBe(3);
  expect(throttle.take()).toEqual([
    { event: { type: 'text', text: 'ab' }, at: 1 },
    { event: { type: 'mark', mark: { kind: 'prompt' } }, at: 3 },
    { event: { type: 'text', text: 'c' }, at: 1 },
    { event: { type: 'cwd', path: '/new' }, at: 4 },
  ]);
  expect([throttle.isEmpty, throttle.length]).toEqual([true, 0]);
});
