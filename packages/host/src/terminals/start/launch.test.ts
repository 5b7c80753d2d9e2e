import { expect, test } from 'vitest';
import { fittedSize } from './launch.ts';

test.each([
  [80, 24, 80, 24],
  [1, 1, 1, 1],
  [2_000, 1_000, 2_000, 1_000],
  [2_001, 1_001, 2_000, 1_000],
  [65_535, 65_535, 2_000, 1_000],
  [Infinity, 1e308, 2_000, 1_000],
  [0, -0, 1, 1],
  [-1, -Infinity, 1, 1],
  [NaN, NaN, 1, 1],
  [80.9, 0.5, 80, 1],
])('a terminal of %d × %d has %d × %d', (cols, rows, fitCols, fitRows) => {
  expect(fittedSize({ cols, rows })).toEqual({ cols: fitCols, rows: fitRows });
});
