import { expect, it } from 'vitest';
import { markedParts } from './marked-parts.ts';

const shown = (snippet: string, matches: [number, number][]) =>
  markedParts(snippet, matches)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join('');

it('marks the matches of a snippet', () => {
  expect(
    shown('fix the login page', [
      [0, 3],
      [8, 13],
    ]),
  ).toBe('[fix] the [login] page');
  expect(shown('login', [[0, 5]])).toBe('[login]');
  expect(shown('nothing', [])).toBe('nothing');
});

it('leaves out ranges that overlap or lie beyond the text', () => {
  expect(
    shown('abcdef', [
      [1, 3],
      [2, 4],
      [5, 99],
    ]),
  ).toBe('a[bc]def');
});
