import { expect, test } from 'vitest';
import { beginningOf } from './beginning-of.ts';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['a👍', 3, 'a👍'],
  ['a👍', 2, 'a'],
])('of %j the beginning of %d code units is %j', (text, limit, beginning) => {
  expect(beginningOf(text, limit)).toBe(beginning);
});
