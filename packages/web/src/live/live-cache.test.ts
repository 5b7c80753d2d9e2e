import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveCache } from './live-cache.ts';

/** Longer than an unused value stays open. */
const LONG_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function opener() {
  const closed: string[] = [];
  let opens = 0;
  return {
    closed,
    opens: () => opens,
    open: () => {
      opens += 1;
      return Promise.resolve(`value ${opens}`);
    },
    close: (value: string) => {
      closed.push(value);
    },
  };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('a value is opened once for all holders, and stays open while one holds it', async () => {
  const cache = new LiveCache();
  const each = opener();
  const [first, second] = [cache.entry('a', each), cache.entry('a', each)];
  expect(second).toBe(first);
  const [release, releaseOther] = [first.hold(() => undefined), second.hold(() => undefined)];
  await settle();
  expect(first.opened).toEqual({ state: 'open', value: 'value 1' });
  release();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(each.closed).toEqual([]);
  releaseOther();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(each.closed).toEqual(['value 1']);
  expect(each.opens()).toBe(1);
  expect(cache.entry('a', each)).not.toBe(first);
  cache.clear();
});

test('a value that nobody ever holds is closed', async () => {
  const cache = new LiveCache();
  const each = opener();
  cache.entry('a', each);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(each.closed).toEqual(['value 1']);
});

test('a value that opens after its entry was closed is closed at once', async () => {
  const cache = new LiveCache();
  const each = opener();
  const entry = cache.entry('a', each);
  entry.close();
  await settle();
  expect(each.closed).toEqual(['value 1']);
  expect(Array.from(cache.values())).toEqual([]);
});

test('a failure is reported to holders and can be retried', async () => {
  const cache = new LiveCache();
  let hasFailed = false;
  const entry = cache.entry('a', {
    open: () => {
      if (hasFailed) return Promise.resolve('value');
      hasFailed = true;
      return Promise.reject(new Error('away'));
    },
    close: () => undefined,
  });
  const told = vi.fn<() => void>();
  const release = entry.hold(told);
  await settle();
  expect(entry.opened).toMatchObject({ state: 'failed', error: { message: 'away' } });
  entry.retry();
  await settle();
  expect(entry.opened).toEqual({ state: 'open', value: 'value' });
  expect(told).toHaveBeenCalledTimes(3);
  release();
  cache.clear();
});
