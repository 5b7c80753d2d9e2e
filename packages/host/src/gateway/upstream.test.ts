import { expect, test } from 'vitest';
import { UnansweredLimit } from './upstream.ts';

test('requests beyond 64 without an answer wait in order, those of gone clients are skipped, and beyond 1,000 they are refused', async () => {
  const limit = new UnansweredLimit();
  const [open, gone] = [new AbortController(), new AbortController()];
  const enter = (signal = open.signal) => limit.enter('http://busy', signal);
  const first = await Promise.all(Array.from({ length: 64 }, () => enter()));
  const abandoned = enter(gone.signal);
  const order: number[] = [];
  const waiting = Array.from({ length: 999 }, (_, at) =>
    enter().then((leave) => {
      order.push(at);
      return leave;
    }),
  );
  expect(await enter()).toBeUndefined();
  expect(await limit.enter('http://other', open.signal)).toBeTypeOf('function');
  gone.abort();
  expect(await abandoned).toBeUndefined();
  expect(await enter(gone.signal)).toBeUndefined();

  // A place is given back once.
  first[0]?.();
  first[0]?.();
  const leave = await waiting[0];
  expect(order).toEqual([0]);
  leave?.();
  await waiting[1];
  expect(order).toEqual([0, 1]);
});
