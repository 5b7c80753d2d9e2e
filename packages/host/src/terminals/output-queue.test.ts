import { SimulatedClock } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { OutputQueue } from './output-queue.ts';

it('what has to wait is as it came, though the buffer that it came in holds something else by then', async () => {
  const clock = new SimulatedClock();
  let taken = '';
  const queue = new OutputQueue(clock, (bytes) => {
    taken += Buffer.from(bytes).toString('latin1');
  });
  // As a socket is read: into one buffer, again and again, more often in a turn than a terminal's share of it allows.
  const buffer = Buffer.alloc(64 * 1024);
  let expected = '';
  for (const letter of 'abcdefgh') {
    buffer.fill(letter);
    queue.push(buffer, expected.length);
    expected += letter.repeat(buffer.length);
  }
  buffer.fill(0);
  await clock.advance(1);
  expect(taken.length).toBe(expected.length);
  expect(taken === expected).toBe(true);
});

it('has the offsets of the pty, wherever that begins, and in whichever turn it is taken', async () => {
  const clock = new SimulatedClock();
  const start = 1_000_003;
  let next = start;
  const queue = new OutputQueue(clock, (bytes, offset) => {
    expect(offset).toBe(next);
    expect(bytes.length).toBeLessThanOrEqual(64 * 1024);
    next += bytes.length;
  });
  let pushed = start;
  for (let turn = 0; turn < 4; turn += 1) {
    for (const length of [1, 200_000, 70_000, 60_000, 5]) {
      queue.push(new Uint8Array(length), pushed);
      pushed += length;
    }
    if (turn === 1) queue.takeAll();
    if (turn !== 0) await clock.settle();
  }
  expect(next).toBe(pushed);
});

it('hands on nothing while it is paused, keeps it in order, and calls back at its end only once it goes on', async () => {
  const clock = new SimulatedClock();
  let taken = '';
  let hasFinished = false;
  const queue = new OutputQueue(clock, (bytes) => {
    taken += Buffer.from(bytes).toString();
  });
  const push = (text: string): void => queue.push(Buffer.from(text), taken.length);
  push('a');
  queue.pause();
  push('b');
  queue.takeAll();
  queue.push(Buffer.from('c'), 2);
  queue.finish(() => {
    hasFinished = true;
  });
  await clock.settle();
  expect([taken, hasFinished, queue.isEmpty]).toEqual(['a', false, false]);
  queue.resume();
  await clock.settle();
  expect([taken, hasFinished, queue.isEmpty]).toEqual(['abc', true, true]);
  queue.pause();
  queue.finish(() => {
    taken += '.';
  });
  await clock.settle();
  expect(taken).toBe('abc');
  queue.resume();
  expect(taken).toBe('abc.');
});
