import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReadGathering } from './read-gathering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The delivered lengths, and a function that simulates a read. */
function gathering(): { delivered: number[]; read(length: number): void; end(): void } {
  const delivered: number[] = [];
  let waiting = 0;
  const made = new ReadGathering(() => {
    delivered.push(waiting);
    waiting = 0;
    made.delivered();
  });
  return {
    delivered,
    read: (length) => {
      waiting += length;
      made.took(length, waiting);
    },
    end: () => made.end(),
  };
}

it('delivers keys at once, and the first read after a silence whatever its length', () => {
  const { delivered, read } = gathering();
  read(4_095);
  read(1);
  read(2);
  vi.advanceTimersByTime(20);
  read(4_095);
  expect(delivered).toEqual([4_095, 1, 2, 4_095]);
});

it('delivers a flood in large pieces, and none of it later than 2 ms', () => {
  const { delivered, read } = gathering();
  read(4_095);
  for (let count = 0; count < 28; count += 1) read(4_095);
  expect(delivered).toEqual([4_095, 15 * 4_095]);
  vi.advanceTimersByTime(1);
  read(4_095);
  expect(delivered).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(delivered).toEqual([4_095, 15 * 4_095, 14 * 4_095]);
});

it('delivers held output with the short read that ends a flood, and nothing after the end', () => {
  const { delivered, read, end } = gathering();
  for (const length of [4_095, 4_095, 905]) read(length);
  expect(delivered).toEqual([4_095, 5_000]);
  read(4_095);
  end();
  vi.advanceTimersByTime(20);
  expect(delivered).toHaveLength(2);
});
