import { expect, it } from 'vitest';
import { byteText } from './bytes.ts';

it('writes bytes in the largest unit that gives at least one', () => {
  expect(byteText(1, 'en')).toBe('1 byte');
  expect(byteText(999, 'en')).toBe('999 bytes');
  expect(byteText(1_000, 'en')).toBe('1 kB');
  expect(byteText(1_250_000, 'en')).toBe('1.3 MB');
  expect(byteText(42_300_000_000, 'en')).toBe('42 GB');
});
