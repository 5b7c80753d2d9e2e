import { expect, test } from 'vitest';
import { readDuration } from './tokens.ts';

test.each([
  ['1m', 60],
  ['90m', 5_400],
  ['12h', 43_200],
  ['30d', 2_592_000],
  [' 2w ', 1_209_600],
])('%j is %d seconds', (text, seconds) => {
  expect(readDuration('--expires', text)).toBe(seconds);
});

test.each(['', '0d', '30', '1.5h', '-1d', '1y', '1d12h', '9999999d'])('%j is no valid time', (text) => {
  expect(() => readDuration('--expires', text)).toThrow('--expires: expected a time such as 90m');
});
