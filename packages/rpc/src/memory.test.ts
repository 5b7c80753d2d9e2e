import { expect, test } from 'vitest';
import { controlledPair, memoryPair } from './memory.ts';
import type { Transport } from './transport.ts';

function record(transport: Transport, log: string[], name: string): void {
  transport.start({
    onFrame: (frame) => log.push(`${name} ${frame}`),
    onClose: ({ code }) => log.push(`${name} closed ${code}`),
  });
}

test('[WIRE-1] immediate delivery happens inside send, in order, and a close arrives after the frames', () => {
  const [a, b] = memoryPair({ delivery: 'immediate' });
  const log: string[] = [];
  record(a, log, 'a');
  record(b, log, 'b');
  a.send('1');
  log.push('sent');
  a.send('2');
  a.close(4000);
  a.close(4001);
  a.send('3');
  b.send('4');
  expect(log).toEqual(['b 1', 'sent', 'b 2', 'a closed 4000', 'b closed 4000']);
});

test('microtask delivery happens after the sender, in order', async () => {
  const [a, b] = memoryPair();
  const log: string[] = [];
  record(b, log, 'b');
  a.send('1');
  a.send('2');
  expect(log).toEqual([]);
  expect(a.bufferedBytes).toBe(2);
  await Promise.resolve();
  expect(log).toEqual(['b 1', 'b 2']);
  expect(a.bufferedBytes).toBe(0);
});

test('frames and a close that arrive before start are kept, and starting twice throws', () => {
  const [a, b] = memoryPair({ delivery: 'immediate' });
  a.send('early');
  a.close(4000);
  const log: string[] = [];
  record(b, log, 'b');
  expect(log).toEqual(['b early', 'b closed 4000']);
  expect(() => record(b, log, 'b')).toThrow(/twice/);
});

test('a listener that closes while it receives early frames gets no more frames', () => {
  const [a, b] = memoryPair({ delivery: 'immediate' });
  a.send('1');
  a.send('2');
  const log: string[] = [];
  b.start({
    onFrame: (frame) => {
      log.push(frame);
      b.close(4000);
    },
    onClose: ({ code }) => log.push(`closed ${code}`),
  });
  expect(log).toEqual(['1', 'closed 4000']);
});

test('a controlled pair delivers frames one by one, and a cut loses undelivered frames', () => {
  const pair = controlledPair();
  const log: string[] = [];
  record(pair.a, log, 'a');
  record(pair.b, log, 'b');
  pair.a.send('1');
  pair.a.send('2');
  pair.b.send('x');
  expect(pair.aToB.frames).toEqual(['1', '2']);
  expect(pair.aToB.deliver()).toBe(1);
  expect(log).toEqual(['b 1']);
  pair.cut();
  expect(pair.deliverAll()).toBe(0);
  expect(log).toEqual(['b 1', 'a closed 1006', 'b closed 1006']);
});
