import { SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { TitlePace } from './title-pace.ts';

function setUp() {
  const clock = new SimulatedClock();
  const taken: [number, string | undefined][] = [];
  const start = clock.now();
  const take = (): void => {
    const title = pace.take();
    if (title !== undefined) taken.push([clock.now() - start, title]);
  };
  const pace = new TitlePace(clock, take);
  return { clock, pace, take, taken };
}

it('the first title goes at once, then the newest of each 100 ms, the last one too', async () => {
  const { clock, pace, take, taken } = setUp();
  for (let index = 0; index < 30; index += 1) {
    pace.said(`${index}`);
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
  expect(pace.held).toBeUndefined();
});

it('a title after a silence goes at once', async () => {
  const { clock, pace, take, taken } = setUp();
  pace.said('a');
  take();
  await clock.advance(100);
  pace.said('b');
  take();
  expect(taken).toEqual([
    [0, 'a'],
    [100, 'b'],
  ]);
});

it('nothing comes after the end, and what was held is still told', async () => {
  const { clock, pace, take, taken } = setUp();
  pace.said('a');
  take();
  pace.said('b');
  take();
  pace.end();
  await clock.advance(1_000);
  expect(taken).toEqual([[0, 'a']]);
  expect(pace.held).toBe('b');
});
