import { expect, test } from 'vitest';
import { heapSlope, type Point } from './soak-curve.ts';

const pointAt = (minute: number, heapMegabytes: number): Point => ({
  minute,
  heapBytes: heapMegabytes * 1_000_000,
  externalBytes: 0,
  rssBytes: 0,
  peakRssBytes: 0,
  descriptors: 0,
  timers: 0,
  journalBytes: 0,
  terminals: 0,
  channels: 0,
});

test('the slope of the heap counts only the second half, so that modules loaded at the start do not matter', () => {
  const points = [pointAt(0, 5), pointAt(1, 80), pointAt(2, 100), pointAt(3, 102), pointAt(4, 104)];
  expect(heapSlope(points)).toBeCloseTo(2);
});

test('the slope of the heap fits scattered points', () => {
  const heaps = [10, 10, 10, 11, 9, 13, 11, 15];
  // Least squares over the last four, by hand: mean 12 at 5.5, (1.5×3 + 0.5×1 + 0.5×1 + 1.5×3) / 5 around it.
  expect(heapSlope(heaps.map((heap, minute) => pointAt(minute, heap)))).toBeCloseTo(1.6);
});
