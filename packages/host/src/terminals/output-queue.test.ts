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
