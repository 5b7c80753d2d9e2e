import { setImmediate as nextTurn } from 'node:timers/promises';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { systemClock, systemTimers } from '../../lib/clock.ts';
import { ReadThrottle } from './read-throttle.ts';
import {
  FLOOD_PENALTY_MS,
  MAX_WAITING_LENGTH,
  MAX_WAITING_OF_TOKEN,
  TokenRateLimits,
} from './token-rate-limits.ts';

/** A sender that writes as fast as it is read, at 1,000 a second. */
function sender(): {
  clock: SimulatedClock;
  throttle: ReadThrottle;
  isPaused(): boolean;
  send(most: number): number;
} {
  const clock = new SimulatedClock();
  let isPaused = false;
  const throttle = new ReadThrottle({
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
    throttle,
    isPaused: () => isPaused,
    send: (most) => {
      for (let count = 0; count < most; count += 1) {
        if (isPaused) return count;
        throttle.receive('{}');
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
  const { clock, throttle, send, isPaused } = sender();
  send(100_000);
  for (let count = 0; count < 2_000; count += 1) throttle.receive('{}');
  await clock.advance(1_900);
  expect(isPaused()).toBe(true);
  await clock.advance(400);
  expect(isPaused()).toBe(false);
});

test('nothing is left of it when the connection is over', () => {
  const { clock, throttle, send } = sender();
  send(100_000);
  expect(clock.nextAt).toBeDefined();
  throttle.end();
  expect(clock.nextAt).toBeUndefined();
});

/** Messages of one that may only look which wait for a share that is used up. */
const MAX_WAITING = 128;

/** Two connections of one token, of those that may only look unless said otherwise, at 1,000 a second for one connection. */
function connections(identity: TokenIdentity = OBSERVER): {
  clock: SimulatedClock;
  rateLimits: TokenRateLimits;
  throttles: ReadThrottle[];
  taken: string[][];
  floods: number[];
} {
  const clock = new SimulatedClock();
  const rateLimits = new TokenRateLimits({
    clock,
    timers: clock,
    perSecond: () => 1_000,
    isGiven: (tokenHash) => tokenHash !== 'owner',
  });
  const taken: string[][] = [[], []];
  const floods = [0, 0];
  const throttles = taken.map((frames, index) => {
    const throttle = new ReadThrottle({
      transport: {},
      clock,
      timers: clock,
      perSecond: () => 1_000,
      tokenRateLimit: rateLimits.enter(identity),
      onFlood: () => {
        floods[index] = (floods[index] ?? 0) + 1;
      },
    });
    throttle.start((frame) => frames.push(frame));
    return throttle;
  });
  return { clock, rateLimits, throttles, taken, floods };
}

const OBSERVER = { tokenHash: 'one', scope: 'observe' } as const;

test('connections of a token that may only look share what is taken of them, and nothing is lost', async () => {
  const { clock, throttles, taken } = connections();
  const send = (throttle: ReadThrottle | undefined, from: number, to: number): void => {
    for (let count = from; count < to; count += 1) throttle?.receive(String(count));
  };
  send(throttles[0], 0, 1_001 + MAX_WAITING);
  send(throttles[1], 0, MAX_WAITING);
  const total = (): number => taken.flat().length;
  expect(total()).toBe(1_001);
  await clock.advance(500);
  expect(total()).toBeGreaterThan(1_100);
  expect(total()).toBeLessThan(1_150);
  await clock.advance(1_000);
  expect(taken.map((frames) => frames.length)).toEqual([1_001 + MAX_WAITING, MAX_WAITING]);
  expect(taken[1]).toEqual(Array.from({ length: MAX_WAITING }, (_, index) => String(index)));
});

test('one that sends on while its token has used up its share is told to close, and keeps no more than a bound', () => {
  const { throttles, taken, floods } = connections();
  for (let count = 0; count < 1_001 + MAX_WAITING; count += 1) throttles[0]?.receive('{}');
  expect(floods).toEqual([0, 0]);
  throttles[0]?.receive('{}');
  expect(floods).toEqual([1, 0]);
  for (const throttle of throttles) throttle.end();
  expect(taken.flat()).toHaveLength(1_001);
});

test('long messages that wait for the share of a token are bounded together, and count until they are taken or gone', async () => {
  const { clock, throttles, taken, floods } = connections();
  const long = 'x'.repeat(MAX_WAITING_LENGTH / 4);
  throttles[0]?.receive(long);
  for (let count = 0; count < 2; count += 1) for (const throttle of throttles) throttle.receive(long);
  expect(floods).toEqual([0, 0]);
  throttles[1]?.receive('x');
  expect(floods).toEqual([0, 1]);
  throttles[0]?.end();
  throttles[1]?.receive('x');
  expect(floods).toEqual([0, 1]);
  await clock.advance(2_000_000);
  expect(taken.map((frames) => frames.length)).toEqual([1, 3]);
  throttles[1]?.end();
});

test('a token whose connection was closed for that gets no further one for some seconds', async () => {
  const { clock, rateLimits, throttles } = connections();
  const share = rateLimits.enter(OBSERVER);
  for (const throttle of throttles) throttle.end();
  for (const _ of throttles) rateLimits.leave(OBSERVER);
  expect(rateLimits.refusalFor(OBSERVER)).toBeUndefined();
  share?.flooded();
  rateLimits.leave(OBSERVER);
  expect(rateLimits.refusalFor(OBSERVER)).toContain('maxMessagesPerSecond');
  expect(rateLimits.refusalFor({ tokenHash: 'another', scope: 'observe' })).toBeUndefined();
  await clock.advance(FLOOD_PENALTY_MS);
  expect(rateLimits.refusalFor(OBSERVER)).toBeUndefined();
});

test('control frames count for the share of the token, and end a connection that goes on with them', () => {
  const { throttles, floods } = connections();
  for (let count = 0; count < 1_001 + MAX_WAITING; count += 1) throttles[0]?.receiveControlFrame();
  expect(floods).toEqual([0, 0]);
  throttles[0]?.receiveControlFrame();
  expect(floods).toEqual([1, 0]);
  for (const throttle of throttles) throttle.end();
});

test('one that may act may have many messages under way when the share of its token is used up', async () => {
  const { clock, throttles, taken, floods } = connections({ tokenHash: 'actor', scope: 'interact' });
  throttles[0]?.charge(8_000 * 256);
  for (let count = 0; count < 4_096; count += 1) throttles[0]?.receive(String(count));
  expect(floods).toEqual([0, 0]);
  await clock.advance(5_000);
  expect(taken[0]).toHaveLength(4_096);
});

test('a long message of such a token counts for as many as it takes', () => {
  const { throttles, taken } = connections();
  const long = 'x'.repeat(100 * 1_024);
  for (const throttle of throttles) for (let count = 0; count < 10; count += 1) throttle.receive(long);
  expect(taken.flat()).toHaveLength(3);
});

test('leaving pays no debt', async () => {
  const { clock, rateLimits, throttles, taken } = connections();
  for (let count = 0; count < 3_000; count += 1) throttles[0]?.receive('{}');
  throttles[0]?.receive('x'.repeat(1_024 * 1_024));
  for (const throttle of throttles) throttle.end();
  for (const _ of throttles) rateLimits.leave(OBSERVER);
  expect(rateLimits.enter(OBSERVER)?.waitMs()).toBeGreaterThan(0);
  expect(rateLimits.enter({ tokenHash: 'another', scope: 'observe' })?.waitMs()).toBe(0);
  await clock.advance(10_000);
  expect(taken.flat().length).toBeLessThan(3_000);
  expect(clock.nextAt).toBeUndefined();
});

test('a token gets no new burst by closing all its connections and coming back', async () => {
  const { clock, rateLimits, throttles } = connections();
  for (let count = 0; count < 900; count += 1) throttles[0]?.receive('{}');
  for (const throttle of throttles) throttle.end();
  for (const _ of throttles) rateLimits.leave(OBSERVER);
  const again = rateLimits.enter(OBSERVER);
  again?.take(200 * 256);
  expect(again?.waitMs()).toBeGreaterThan(0);
  rateLimits.leave(OBSERVER);
  await clock.advance(10_000);
  const later = rateLimits.enter(OBSERVER);
  later?.take(900 * 256);
  expect(later?.waitMs()).toBe(0);
});

/** 256 kB count for a thousand messages. */
const LARGE = 'x'.repeat(256_000);

test('the messages that wait for the share of one token are bounded over all its connections', () => {
  const rateLimits = new TokenRateLimits({
    clock: new SimulatedClock(),
    timers: new SimulatedClock(),
    perSecond: () => 1_000,
    isGiven: () => true,
  });
  let floodCount = 0;
  const throttles = Array.from({ length: 9 }, () => {
    const clock = new SimulatedClock();
    const tokenRateLimit = rateLimits.enter({ tokenHash: 'actor', scope: 'interact' });
    const onFlood = () => {
      floodCount += 1;
    };
    return new ReadThrottle({
      transport: {},
      clock,
      timers: clock,
      perSecond: () => 1_000,
      tokenRateLimit,
      onFlood,
    });
  });
  throttles[0]?.charge(8_000 * 256);
  for (const throttle of throttles) for (let count = 0; count < 2_048; count += 1) throttle.receive('{}');
  expect(floodCount).toBe(9 * 2_048 - MAX_WAITING_OF_TOKEN);
  for (const throttle of throttles) throttle.end();
});

test('connections of a token that may act share what is taken of them too, eight times as much', async () => {
  const { clock, throttles, taken } = connections({ tokenHash: 'actor', scope: 'interact' });
  for (const throttle of throttles) for (let count = 0; count < 40; count += 1) throttle.receive(LARGE);
  const total = (): number => taken.flat().length;
  await clock.advance(5_000);
  // A quarter of a second's worth at once, and what is due in 5 s.
  expect(total()).toBeGreaterThan(36);
  expect(total()).toBeLessThan(46);
  await clock.advance(10_000);
  expect(total()).toBe(80);
});

test('what messages made the host write and send counts as well', async () => {
  const { clock, throttles, taken } = connections({ tokenHash: 'actor', scope: 'interact' });
  throttles[0]?.charge(10 * 8_000 * 256);
  for (const throttle of throttles) throttle.receive('{}');
  await clock.advance(9_000);
  expect(taken.flat()).toEqual([]);
  await clock.advance(2_000);
  expect(taken.flat()).toEqual(['{}', '{}']);
});

test('in one turn of the event loop large messages of all tokens together take a bounded time', async () => {
  const rateLimits = new TokenRateLimits({
    clock: systemClock,
    timers: systemTimers,
    perSecond: () => 1_000,
    isGiven: () => true,
  });
  let takenCount = 0;
  for (let index = 0; index < 20; index += 1) {
    const throttle = new ReadThrottle({
      transport: {},
      clock: systemClock,
      timers: systemTimers,
      perSecond: () => 1_000,
      tokenRateLimit: rateLimits.enter({ tokenHash: `token-${index}`, scope: 'admin' }),
    });
    throttle.start(() => {
      takenCount += 1;
    });
    throttle.receive(LARGE);
  }
  for (const most of [3, 6, 9, 12, 15, 18]) {
    expect(takenCount).toBe(most);
    await nextTurn();
  }
  expect(takenCount).toBe(20);
});

test('a message of one token waits for one turn of each other token, however many messages of theirs wait', async () => {
  const rateLimits = new TokenRateLimits({
    clock: systemClock,
    timers: systemTimers,
    perSecond: () => 100_000,
    isGiven: () => true,
  });
  const taken: string[] = [];
  const connect = (tokenHash: string): ReadThrottle => {
    const throttle = new ReadThrottle({
      transport: {},
      clock: systemClock,
      timers: systemTimers,
      perSecond: () => 100_000,
      tokenRateLimit: rateLimits.enter({ tokenHash, scope: 'interact' }),
    });
    throttle.start(() => taken.push(tokenHash));
    return throttle;
  };
  for (const busy of ['one', 'other']) {
    const throttles = Array.from({ length: 10 }, () => connect(busy));
    for (const throttle of throttles) for (let count = 0; count < 4; count += 1) throttle.receive(LARGE);
  }
  connect('quiet').receive('{}');
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(taken).toContain('quiet');
  for (let turn = 0; taken.length < 81; turn += 1) {
    expect(turn).toBeLessThan(100);
    await nextTurn();
  }
});

test('a message that comes while one that waited is handled is taken behind all that waited, and each once', async () => {
  const { clock, throttles, taken } = connections({ tokenHash: 'actor', scope: 'interact' });
  const [throttle] = throttles;
  throttle?.start((frame) => {
    taken[0]?.push(frame);
    if (frame === 'first') throttle.receive('third');
  });
  throttle?.charge(8_000 * 256);
  for (const frame of ['first', 'second']) throttle?.receive(frame);
  await clock.advance(5_000);
  expect(taken[0]).toEqual(['first', 'second', 'third']);
});

test('nothing bounds the owner', () => {
  const { rateLimits } = connections();
  expect(rateLimits.enter({ tokenHash: 'owner', scope: 'admin' })).toBeUndefined();
});
