import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { ChangeBatcher } from './change-batcher.ts';
import type { ChangeBatch, FileChangeType } from './tree-source.ts';

function started(maxWaiting?: number) {
  const clock = new SimulatedClock();
  const batches: ChangeBatch[] = [];
  const batcher = new ChangeBatcher(
    { clock, timers: clock },
    (batch) => batches.push(batch),
    maxWaiting === undefined ? {} : { maxWaiting },
  );
  const add = (path: string, ...types: FileChangeType[]): void => {
    for (const type of types) batcher.add({ path, type });
  };
  return { clock, batches, batcher, add };
}

test('what happens to a path becomes one change', async () => {
  const { clock, batches, add } = started();
  add('/new', 'added', 'updated', 'updated');
  add('/saved', 'deleted', 'added');
  add('/temporary', 'added', 'updated', 'deleted');
  add('/gone', 'updated', 'deleted');
  add('/back', 'deleted', 'added', 'deleted');
  await clock.advance(99);
  expect(batches).toEqual([]);
  await clock.advance(2);
  expect(batches).toEqual([
    {
      isMissed: false,
      changes: [
        { path: '/new', type: 'added' },
        { path: '/saved', type: 'updated' },
        { path: '/gone', type: 'deleted' },
        { path: '/back', type: 'deleted' },
      ],
    },
  ]);
  expect(clock.timerCount).toBe(0);
});

test('changes that keep coming are reported once a second, and a file that was just deleted may come back', async () => {
  const { clock, batches, add } = started();
  for (let at = 0; at < 950; at += 50) {
    add(`/${at}`, 'updated');
    await clock.advance(50);
  }
  add('/saved', 'deleted');
  await clock.advance(51);
  expect(batches).toHaveLength(1);
  expect(batches[0]?.changes).toHaveLength(19);
  add('/saved', 'added');
  await clock.advance(200);
  expect(batches.slice(1)).toEqual([{ isMissed: false, changes: [{ path: '/saved', type: 'updated' }] }]);
});

test('a batch has at most 4,000 changes', async () => {
  const { clock, batches, add } = started();
  for (let index = 0; index < 10_000; index += 1) add(`/${index}`, 'added');
  await clock.advance(200);
  expect(batches.map(({ changes }) => changes.length)).toEqual([4_000, 4_000, 2_000]);
});

test('a batch has at most 512 Ki characters of paths', async () => {
  const { clock, batches, add } = started();
  for (let index = 0; index < 300; index += 1) add(`/${'x'.repeat(4_000)}${index}`, 'added');
  await clock.advance(200);
  expect(batches.length).toBe(3);
  expect(batches.flatMap(({ changes }) => changes)).toHaveLength(300);
});

test('more changes than may wait are replaced by a note that some were missed', async () => {
  const { clock, batches, add } = started(10);
  for (let index = 0; index < 20; index += 1) add(`/${index}`, 'added');
  await clock.advance(200);
  add('/later', 'added');
  await clock.advance(200);
  expect(batches).toEqual([
    { isMissed: true, changes: [] },
    { isMissed: false, changes: [{ path: '/later', type: 'added' }] },
  ]);
});

test('nothing is reported after the end', async () => {
  const { clock, batches, batcher, add } = started();
  add('/a', 'added');
  batcher.close();
  add('/b', 'added');
  await clock.advance(2_000);
  expect([batches, clock.timerCount]).toEqual([[], 0]);
});
