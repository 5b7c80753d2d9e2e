import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemTimers } from '../../lib/clock.ts';
import { CONFIRMATION_MS, FLUSHED_LENGTH, Flushing } from './flushing.ts';

test('large output for many sockets is written in several event-loop iterations, short output at once, and each output once', async () => {
  const flushing = new Flushing(systemTimers);
  const flushed: string[] = [];
  const add = (name: string, corkedLength: number): void =>
    flushing.add({ corkedLength, isConfirmation: false, flush: () => flushed.push(name) });
  for (let index = 0; index < 40; index += 1) add(`large-${index}`, FLUSHED_LENGTH / 8);
  add('short', 100);
  flushing.flush();
  const large = (): number => flushed.filter((name) => name !== 'short').length;
  expect(large()).toBe(8);
  expect(flushed).toContain('short');
  // Output that is added meanwhile does not lengthen the iteration.
  add('short', 100);
  flushing.flush();
  expect(large()).toBe(8);
  expect(flushed.filter((name) => name === 'short')).toHaveLength(2);
  await nextTurn();
  expect(large()).toBe(16);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(new Set(flushed).size).toBe(41);
  expect(flushed).toHaveLength(42);
});

test('no timer is left when it stops, and later confirmations are written at once', () => {
  const running = new Set<() => void>();
  const flushing = new Flushing({
    after: (_, callback) => {
      running.add(callback);
      return () => running.delete(callback);
    },
    immediate: () => expect.fail('nothing is large'),
  });
  const flushed: string[] = [];
  const confirm = (name: string): void => {
    flushing.add({ corkedLength: 10, isConfirmation: true, flush: () => flushed.push(name) });
    flushing.flush();
  };
  confirm('first');
  expect(running.size).toBe(1);
  flushing.stop();
  confirm('second');
  expect(running.size).toBe(0);
  expect(flushed).toEqual(['first', 'second']);
});

test('confirmations of typed input wait for other output of their connection, but not long', () => {
  const later: { delayMs: number; callback: () => void }[] = [];
  const flushing = new Flushing({
    after: (delayMs, callback) => {
      later.push({ delayMs, callback });
      return () => undefined;
    },
    immediate: () => expect.fail('nothing is large'),
  });
  const flushed: string[] = [];
  const output = (name: string) => ({
    corkedLength: 10,
    isConfirmation: true,
    flush: () => flushed.push(name),
  });
  const typist = output('typist');
  const other = output('other');
  for (const each of [typist, other]) flushing.add(each);
  flushing.flush();
  expect(flushed).toEqual([]);
  // The echo of the key is written into the same output.
  typist.isConfirmation = false;
  flushing.flush();
  expect(flushed).toEqual(['typist']);
  expect(later.map(({ delayMs }) => delayMs)).toEqual([CONFIRMATION_MS]);
  later[0]?.callback();
  expect(flushed).toEqual(['typist', 'other']);
});
