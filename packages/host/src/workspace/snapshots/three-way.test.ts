import { expect, test } from 'vitest';
import { type Hunk, selectedPart, withoutHunks } from './three-way.ts';

const HUNK: Hunk = { before: { start: 4, length: 2 }, after: { start: 10, length: 4 } };

test.each([
  { side: 'after', first: 10, last: 13, before: [4, 2], after: [10, 4] },
  { side: 'after', first: 0, last: 99, before: [4, 2], after: [10, 4] },
  { side: 'after', first: 10, last: 10, before: [4, 1], after: [10, 1] },
  { side: 'after', first: 11, last: 12, before: [5, 1], after: [11, 2] },
  { side: 'after', first: 12, last: 13, before: [6, 0], after: [12, 2] },
  { side: 'before', first: 4, last: 4, before: [4, 1], after: [10, 1] },
  { side: 'before', first: 5, last: 5, before: [5, 1], after: [11, 3] },
] as const)(
  '[CS-4] on the side $side the lines $first to $last of a hunk select $before and $after',
  ({ side, first, last, before, after }) => {
    const part = selectedPart(HUNK, side, { first, last });
    expect([part?.before, part?.after]).toEqual(
      [before, after].map(([start, length]) => ({ start, length })),
    );
  },
);

test.each([
  ['after', 14],
  ['after', 9],
  ['before', 6],
] as const)('[CS-4] on the side %s line %d is outside of the hunk', (side, line) => {
  expect(selectedPart(HUNK, side, { first: line, last: line })).toBeUndefined();
});

test('[CS-4] a removal is selected whole by the lines beside it', () => {
  const removal = { before: { start: 3, length: 5 }, after: { start: 3, length: 0 } };
  expect(selectedPart(removal, 'after', { first: 2, last: 2 })).toBe(removal);
  expect(selectedPart(removal, 'after', { first: 3, last: 3 })).toBe(removal);
  expect(selectedPart(removal, 'after', { first: 4, last: 4 })).toBeUndefined();
});

test.each([
  ['a', 'b\nc\n', { before: { start: 0, length: 1 }, after: { start: 0, length: 1 } }, 'a\nc\n'],
  ['x\r\ny\r\n', 'b', { before: { start: 1, length: 1 }, after: { start: 1, length: 0 } }, 'b\r\ny\r\n'],
  [
    'x\r\ny\r\nz',
    'x\r\nb\r\nc\r\n',
    { before: { start: 2, length: 1 }, after: { start: 1, length: 1 } },
    'x\r\nz\r\nc\r\n',
  ],
] as const)(
  'a line without an end gets one when lines follow it: %j and %j',
  (before, after, hunk, expected) => {
    const lines = withoutHunks(Buffer.from(before), Buffer.from(after), [hunk]).toString();
    expect(lines).toBe(expected);
  },
);
