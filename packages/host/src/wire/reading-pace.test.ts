import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { ReadingPace } from './reading-pace.ts';

/** A sender that writes as fast as it is read, at 1,000 a second. */
function sender(): {
  clock: SimulatedClock;
  pace: ReadingPace;
  isPaused(): boolean;
  send(most: number): number;
} {
  const clock = new SimulatedClock();
  let isPaused = false;
  const pace = new ReadingPace({
    transport: {
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
      },
    },
    clock,
    timers: clock,
    perSecond: () => 1_000,
  });
  return {
    clock,
    pace,
    isPaused: () => isPaused,
    send: (most) => {
      for (let count = 0; count < most; count += 1) {
        if (isPaused) return count;
        pace.took();
      }
      return most;
    },
  };
}

test('as much as in four seconds comes at once, and then so many a second as the setting says', async () => {
  const { clock, send } = sender();
  expect(send(100_000)).toBe(4_001);
  let count = 0;
  for (let tenth = 0; tenth < 100; tenth += 1) {
    await clock.advance(100);
    count += send(100_000);
  }
  expect(count).toBeGreaterThan(9_500);
  expect(count).toBeLessThan(10_200);
});

test('who types, or streams a hundred messages a second, never meets it', async () => {
  const { clock, send, isPaused } = sender();
  for (let tenth = 0; tenth < 600; tenth += 1) {
    expect(send(10)).toBe(10);
    await clock.advance(100);
  }
  expect(isPaused()).toBe(false);
});

test('what was read before the pause is taken, and waited for', async () => {
  const { clock, pace, send, isPaused } = sender();
  send(100_000);
  for (let count = 0; count < 2_000; count += 1) pace.took();
  await clock.advance(1_900);
  expect(isPaused()).toBe(true);
  await clock.advance(400);
  expect(isPaused()).toBe(false);
});

test('nothing is left of it when the connection is over', () => {
  const { clock, pace, send } = sender();
  send(100_000);
  expect(clock.nextAt).toBeDefined();
  pace.end();
  expect(clock.nextAt).toBeUndefined();
});
