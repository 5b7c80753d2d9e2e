import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SimulatedClock } from './simulated-clock.ts';

test('timers fire in the order of their time, then of their creation, and `now` is the time of the timer', async () => {
  const clock = new SimulatedClock(1_000);
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
  clock.after(20, note('late'));
  clock.after(10, note('first'));
  clock.after(10, note('second'));
  const cancel = clock.after(15, note('never'));
  cancel();
  await clock.advance(19);
  expect(seen).toEqual(['first@1010', 'second@1010']);
  expect(clock.now()).toBe(1_019);
  await clock.advance(1);
  expect(seen).toEqual(['first@1010', 'second@1010', 'late@1020']);
});

test('promises and immediates that a timer triggers run before the next timer fires', async () => {
  const clock = new SimulatedClock();
  const seen: string[] = [];
  clock.after(1, () => {
    void Promise.resolve()
      .then(() => clock.immediate(() => clock.immediate(() => seen.push('set off'))))
      .then(() => seen.push('promise'));
  });
  clock.after(1, () => seen.push('next'));
  await clock.advance(1);
  expect(seen).toEqual(['promise', 'set off', 'next']);
});

test('a scope that has ended runs no callbacks', async () => {
  const clock = new SimulatedClock();
  const scope = clock.scope();
  let count = 0;
  const tick = () => {
    count += 1;
  };
  scope.after(1, tick);
  scope.immediate(tick);
  scope.end();
  scope.after(1, tick);
  await clock.advance(10);
  expect(count).toBe(0);
  expect(clock.timerCount).toBe(0);
});

test('a program that is waited for gets real time', async () => {
  const clock = new SimulatedClock();
  const ended = promisify(execFile)('sleep', ['0.3']);
  await clock.runUntilSettled(ended);
  expect(await ended).toMatchObject({ stdout: '' });
});
