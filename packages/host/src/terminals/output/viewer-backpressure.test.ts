import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { Channel } from '../../sync/channel.ts';
import type { Sink } from '../../sync/subscription.ts';
import { ViewerBackpressure } from './viewer-backpressure.ts';

const SINK: Sink = { envelope: () => undefined, frame: () => undefined, notification: () => undefined };

function newTerminal() {
  const clock = new SimulatedClock();
  const channel = new Channel<'terminal'>({
    uri: 'ahp-terminal:/one',
    kind: 'terminal',
    state: {
      title: '',
      content: [],
      lifecycle: { status: 'running' },
      claim: { kind: 'client', clientId: 'client' },
    },
    hostData: { pty: 'pty', offset: 0, titledBy: 'host', defaultTitle: '' },
    seq: 0,
    usedAt: 0,
  });
  let lookCount = 0;
  const pace: ViewerBackpressure = new ViewerBackpressure({ clock, timers: clock }, channel, {
    isNew: true,
    // As the runner of the terminal does.
    caughtUp: () => {
      lookCount += 1;
      void pace.isBehind;
    },
  });
  return { clock, channel, pace, lookCount: () => lookCount };
}

test('a new terminal waits five seconds for its first viewer and checks for one a hundred times at most', async () => {
  const { clock, pace, lookCount } = newTerminal();
  expect(pace.isBehind).toBe(true);
  await clock.advance(4_999);
  expect(pace.isBehind).toBe(true);
  await clock.advance(51);
  expect(pace.isBehind).toBe(false);
  expect(lookCount()).toBeLessThanOrEqual(101);
  expect(clock.timerCount).toBe(0);
});

test('a new terminal continues within 50 ms of its first viewer', async () => {
  const { clock, channel, pace } = newTerminal();
  expect(pace.isBehind).toBe(true);
  await clock.advance(1_001);
  channel.subscriptions.set(SINK, {
    sink: SINK,
    view: undefined,
    delivery: undefined,
    since: 0,
    fromOrdinal: 0,
    takesTurns: true,
    isRealigned: false,
  });
  await clock.advance(50);
  expect(clock.timerCount).toBe(0);
  expect(pace.isBehind).toBe(false);
});
