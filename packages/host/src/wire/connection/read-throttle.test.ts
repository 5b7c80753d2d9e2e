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

/** A sender that writes as fast as the host reads: 1,000 messages per second. */
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

test('a burst of four seconds is read at once, and then the rate of the setting', async () => {
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

test('a client that types or streams a hundred messages per second is never throttled', async () => {
  const { clock, send, isPaused } = sender();
  for (let tenth = 0; tenth < 600; tenth += 1) {
    expect(send(10)).toBe(10);
    await clock.advance(100);
  }
  expect(isPaused()).toBe(false);
});

test('messages that were read before the pause are handled, and count', async () => {
  const { clock, throttle, send, isPaused } = sender();
  send(100_000);
  for (let count = 0; count < 2_000; count += 1) throttle.receive('{}');
  await clock.advance(1_900);
  expect(isPaused()).toBe(true);
  await clock.advance(400);
  expect(isPaused()).toBe(false);
});

test('leaves no timer when the connection has closed', () => {
  const { clock, throttle, send } = sender();
  send(100_000);
  expect(clock.nextAt).toBeDefined();
  throttle.end();
  expect(clock.nextAt).toBeUndefined();
});

/** Messages of an `observe` connection that may wait while the rate of its token is used up. */
const MAX_WAITING = 128;

/** Two connections of one token, by default of scope `observe`, at 1,000 messages per second for one connection. */
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

test('connections of an `observe` token share one rate, and no message is lost', async () => {
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

test('a connection that keeps sending while the rate of its token is used up is closed, and its waiting messages are bounded', () => {
  const { throttles, taken, floods } = connections();
  for (let count = 0; count < 1_001 + MAX_WAITING; count += 1) throttles[0]?.receive('{}');
  expect(floods).toEqual([0, 0]);
  throttles[0]?.receive('{}');
  expect(floods).toEqual([1, 0]);
  for (const throttle of throttles) throttle.end();
  expect(taken.flat()).toHaveLength(1_001);
});

test('the length of all messages that wait for the rate of a token is bounded, and counts until they are handled or dropped', async () => {
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

test('a token with a connection that was closed for a flood gets no new connection for some seconds', async () => {
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

test('control frames count for the rate of the token, and close a connection that keeps sending them', () => {
  const { throttles, floods } = connections();
  for (let count = 0; count < 1_001 + MAX_WAITING; count += 1) throttles[0]?.receiveControlFrame();
  expect(floods).toEqual([0, 0]);
  throttles[0]?.receiveControlFrame();
  expect(floods).toEqual([1, 0]);
  for (const throttle of throttles) throttle.end();
});

test('a connection that may act may have many messages waiting when the rate of its token is used up', async () => {
  const { clock, throttles, taken, floods } = connections({ tokenHash: 'actor', scope: 'interact' });
  throttles[0]?.charge(8_000 * 256);
  for (let count = 0; count < 4_096; count += 1) throttles[0]?.receive(String(count));
  expect(floods).toEqual([0, 0]);
  await clock.advance(5_000);
  expect(taken[0]).toHaveLength(4_096);
});

test('a long message of such a token counts by its length', () => {
  const { throttles, taken } = connections();
  const long = 'x'.repeat(100 * 1_024);
  for (const throttle of throttles) for (let count = 0; count < 10; count += 1) throttle.receive(long);
  expect(taken.flat()).toHaveLength(3);
});

test('a closed connection leaves the rate of its token used up', async () => {
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

test('a token gets no new burst by a reconnect of all its connections', async () => {
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

/** 256 kB count as a thousand messages. */
const LARGE = 'x'.repeat(256_000);

test('the messages that wait for the rate of one token are bounded over all its connections', () => {
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

test('connections of a token that may act share one rate too, which is eight times the rate of one connection', async () => {
  const { clock, throttles, taken } = connections({ tokenHash: 'actor', scope: 'interact' });
  for (const throttle of throttles) for (let count = 0; count < 40; count += 1) throttle.receive(LARGE);
  const total = (): number => taken.flat().length;
  await clock.advance(5_000);
  // The burst of 250 ms, and the messages of 5 s.
  expect(total()).toBeGreaterThan(36);
  expect(total()).toBeLessThan(46);
  await clock.advance(10_000);
  expect(total()).toBe(80);
});

test('bytes that messages make the host write and send count too', async () => {
  const { clock, throttles, taken } = connections({ tokenHash: 'actor', scope: 'interact' });
  throttles[0]?.charge(10 * 8_000 * 256);
  for (const throttle of throttles) throttle.receive('{}');
  await clock.advance(9_000);
  expect(taken.flat()).toEqual([]);
  await clock.advance(2_000);
  expect(taken.flat()).toEqual(['{}', '{}']);
});

test('the large messages that are handled in one event-loop iteration are bounded over all tokens', async () => {
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

test('a message of one token waits for one message of each other token, however many of theirs wait', async () => {
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

test('a message that arrives while a waiting one is handled is queued after all waiting ones, and each is handled once', async () => {
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

test('the owner has no limit', () => {
  const { rateLimits } = connections();
  expect(rateLimits.enter({ tokenHash: 'owner', scope: 'admin' })).toBeUndefined();
});
