import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { v8Heap } from './v8-heap.ts';

it('a heap is collected as a whole soon after it was asked for, and nobody else is given the means', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(wasAskedFor)) resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
  const hadMeans = 'gc' in globalThis;
  v8Heap.collect();
  await promise;
  observer.disconnect();
  expect('gc' in globalThis).toBe(hadMeans);
});

/** Collections that V8 decides on by itself do not count. */
function wasAskedFor(entry: PerformanceEntry): boolean {
  const detail: unknown = Reflect.get(entry, 'detail');
  if (typeof detail !== 'object' || detail === null) return false;
  const isMajor = Reflect.get(detail, 'kind') === constants.NODE_PERFORMANCE_GC_MAJOR;
  return isMajor && Reflect.get(detail, 'flags') === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;
}
