import { expect, test } from 'vitest';
import { cellsOf, cutToCells } from './cells.ts';

test.each([
  ['plain', 5],
  ['日本語', 6],
  ['한국', 4],
  ['e\u0301', 1],
  ['👍🏽 ok', 5],
  ['ｆｕｌｌ', 8],
  ['→', 1],
])('%j takes %d cells', (text, cells) => {
  expect(cellsOf(text)).toBe(cells);
});

test.each([
  ['what fits stays', 15, 'what fits stays'],
  ['what does not fit', 10, 'what do...'],
  ['日本語の題名です', 10, '日本語...'],
])('%j in %d cells is %j', (text, limit, cut) => {
  expect(cutToCells(text, limit)).toBe(cut);
  expect(cellsOf(cut)).toBeLessThanOrEqual(limit);
});
