import { expect, test } from 'vitest';
import { withoutLongTexts } from './action-outline.ts';

test('an outline splits no surrogate pair', () => {
  const long = `${'x'.repeat(199)}${'👍'.repeat(10_000)}`;
  const cut = 'x'.repeat(199);
  expect(withoutLongTexts(long)).toBe(`${cut}…`);
});
