import { expect, it } from 'vitest';
import { findInLines, markedLines } from './find-in-lines.ts';

it('finds every match in a file, without regard to case', () => {
  expect(findInLines(['aXa', 'b', 'xx'], 'x')).toEqual([
    { line: 1, range: { start: 1, end: 2 } },
    { line: 3, range: { start: 0, end: 1 } },
    { line: 3, range: { start: 1, end: 2 } },
  ]);
  expect(findInLines(['abc'], '')).toEqual([]);
});

it('does not mark wrong characters where lower case is longer', () => {
  expect(findInLines(['İİx'], 'x')).toEqual([{ line: 1, range: { start: 2, end: 3 } }]);
});

it('marks matches in the lines of a file', () => {
  const lines = ['one', 'two'];
  expect(markedLines(lines, findInLines(lines, 'w'))).toEqual([
    { kind: 'same', text: 'one', newNumber: 1 },
    { kind: 'same', text: 'two', newNumber: 2, marks: [{ start: 1, end: 2 }] },
  ]);
});
