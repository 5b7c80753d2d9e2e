import { expect, test } from 'vitest';
import { GuessLimit } from './guess-limit.ts';

function limit(): {
  guesses: GuessLimit;
  told: [number, string][];
  pass(ms: number): void;
} {
  let now = 1_000_000;
  const told: [number, string][] = [];
  const guesses = new GuessLimit({ now: () => now }, (failures, address) => told.push([failures, address]));
  return {
    guesses,
    told,
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Number of wrong tokens that are checked at once. */
function tries(guesses: GuessLimit, address: string | (() => string), most = 10_000): number {
  let count = 0;
  for (; count < most; count += 1) {
    const from = typeof address === 'string' ? address : address();
    if (guesses.waitMs(from) > 0) return count;
    guesses.failed(from);
  }
  return count;
}

test('[AUTH-1] an address may guess twenty times, and then once in two seconds at any rate of attempts', () => {
  const { guesses, pass } = limit();
  expect(tries(guesses, '10.0.0.1')).toBe(20);
  expect(guesses.waitMs('10.0.0.1')).toBe(2_000);
  for (let second = 0; second < 100; second += 1) {
    // Refused attempts do not extend the wait.
    expect(guesses.waitMs('10.0.0.1')).toBe(2_000);
    pass(2_000);
    expect(tries(guesses, '10.0.0.1')).toBe(1);
  }
  pass(60_000);
  expect(tries(guesses, '10.0.0.1')).toBe(20);
});

test('[AUTH-1] a throttled address does not throttle another one', () => {
  const { guesses } = limit();
  tries(guesses, '10.0.0.1');
  expect(guesses.waitMs('10.0.0.2')).toBe(0);
  expect(guesses.waitMs('127.0.0.1')).toBe(0);
  expect(guesses.waitMs(undefined)).toBe(0);
});

test('[AUTH-1] many addresses together are throttled, and loopback is not affected', () => {
  const { guesses, pass } = limit();
  let last = 0;
  expect(tries(guesses, () => `10.0.${(last += 1) >> 8}.${last & 255}`)).toBe(200);
  expect(guesses.waitMs('10.9.9.9')).toBe(200);
  expect(guesses.waitMs('127.0.0.1')).toBe(0);
  expect(guesses.waitMs('::1')).toBe(0);
  pass(200);
  expect(guesses.waitMs('10.9.9.9')).toBe(0);
});

test('[AUTH-1] addresses of one IPv6 network count as one, and a mapped IPv4 address counts as IPv4', () => {
  const { guesses } = limit();
  let last = 0;
  expect(tries(guesses, () => `2001:db8::${((last += 1)).toString(16)}`)).toBe(20);
  expect(guesses.waitMs('2001:db8:0:0:ffff:1:2:3')).toBe(2_000);
  expect(guesses.waitMs('2001:db8:0:1::1')).toBe(0);
  tries(guesses, '::ffff:10.0.0.1');
  expect(guesses.waitMs('10.0.0.1')).toBe(2_000);
});

test('[AUTH-1] all loopback addresses count as one', () => {
  const { guesses } = limit();
  let last = 0;
  expect(tries(guesses, () => `127.0.${(last += 1) >> 8}.${last & 255}`)).toBe(20);
  expect(guesses.waitMs('::1')).toBe(2_000);
});

test('[AUTH-1] failures are logged once a minute, with their number', () => {
  const { guesses, told, pass } = limit();
  for (let count = 0; count < 5; count += 1) guesses.failed('10.0.0.1');
  pass(60_000);
  guesses.failed('10.0.0.2');
  expect(told).toEqual([
    [1, '10.0.0.1'],
    [5, '10.0.0.2'],
  ]);
});

test('a clock that goes back by a day makes no address wait for a day', () => {
  const { guesses, pass } = limit();
  tries(guesses, '10.0.0.1');
  pass(-86_400_000);
  expect(guesses.waitMs('10.0.0.1')).toBe(2_000);
  guesses.failed('10.0.0.1');
  pass(2_000);
  expect(guesses.waitMs('10.0.0.1')).toBe(0);
});
