import { expect, test } from 'vitest';
import { cutText, fitTexts } from './fit.ts';

test('a text is cut to the limit, including the note, and never within a character', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('abcd', 3)).toBe('ab…');
  expect(cutText('a👍👍', 4)).toBe('a👍…');
  expect(cutText('a👍👍', 3)).toBe('a…');
  const long = cutText('x'.repeat(20_000), 10_000);
  expect(long).toHaveLength(10_000);
  expect(long.endsWith('\n[… cut here: it had 20,000 characters, at most 10,000 are kept]')).toBe(true);
});

test('a value within the limits stays the same object, and a cut keeps the other members', () => {
  const kept = { id: 'a', message: { text: 'short', list: [1, 2] } };
  expect(fitTexts(kept, 'x')).toBe(kept);
  const cut = fitTexts({ ...kept, title: 't'.repeat(600) }, 'x');
  expect(cut.title).toHaveLength(512);
  expect(cut.message).toBe(kept.message);
});

test('ids and keys are never cut', () => {
  const id = 'i'.repeat(600);
  const value = JSON.parse(`{"id":"${id}","__proto__":{"title":"${'t'.repeat(600)}"}}`);
  const fitted = fitTexts(value, 'x');
  expect(fitted.id).toBe(id);
  expect(Object.keys(fitted)).toEqual(['id', '__proto__']);
  expect(JSON.stringify(fitted)).toContain(`"${'t'.repeat(511)}…"`);
});

test('a list in the table is cut to its limit, and any other list stays whole', () => {
  const questions = Array.from({ length: 101 }, (_, index) => ({ id: `${index}` }));
  expect(fitTexts({ questions }, 'x').questions).toHaveLength(100);
  expect(fitTexts({ parts: questions }, 'x').parts).toHaveLength(101);
});
