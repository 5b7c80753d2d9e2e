import { SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { TitleThrottle } from './title-throttle.ts';

function setUp() {
  const clock = new SimulatedClock();
  const taken: [number, string | undefined][] = [];
  const start = clock.now();
  const take = (): void => {
    const title = throttle.take();
    if (title !== undefined) taken.push([clock.now() - start, title]);
  };
  const throttle = new TitleThrottle(clock, take);
  return { clock, throttle, take, taken };
}

it('the first title is sent at once, then the newest of each 100 ms, the last one too', async () => {
  const { clock, throttle, take, taken } = setUp();
  for (let index = 0; index < 30; index += 1) {
    throttle.said(`${index}`);
    take();
    await clock.advance(10);
  }
  await clock.advance(1_000);
  expect(taken).toEqual([
    [0, '0'],
    [100, '9'],
    [200, '19'],
    [300, '29'],
  ]);
  expect(throttle.held).toBeUndefined();
});

it('a title after a silence is sent at once', async () => {
  const { clock, throttle, take, taken } = setUp();
  throttle.said('a');
  take();
  await clock.advance(100);
  throttle.said('b');
  take();
  expect(taken).toEqual([
    [0, 'a'],
    [100, 'b'],
  ]);
});

it('nothing is sent after the end, and a held title stays readable', async () => {
  const { clock, throttle, take, taken } = setUp();
  throttle.said('a');
  take();
  throttle.said('b');
  take();
  throttle.end();
  await clock.advance(1_000);
  expect(taken).toEqual([[0, 'a']]);
  expect(throttle.held).toBe('b');
});
