import { HOSTILE_CHARACTERS, hostileTexts, SeededRandom } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { spaced, wordsOf } from './words.ts';

/** The same rule as regular expressions: short, but too slow for a commit. */
const ALONE = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
const LAW = new RegExp(
  String.raw`(?=[\p{L}\p{N}])(?:${ALONE}\p{M}*|(?:(?!${ALONE})[\p{L}\p{N}]\p{M}*)+)`,
  'gu',
);

const placesByLaw = (text: string): string[] =>
  [...text.matchAll(LAW)].map(({ 0: word, index }) => `${index} ${word}`);
const placesOf = (text: string): string[] =>
  [...wordsOf(text)].map(({ start, end }) => `${start} ${text.slice(start, end)}`);

describe('words of a text', () => {
  test('follow the rule, whatever characters stand beside each other', () => {
    const random = SeededRandom.of(1, 'words');
    for (let round = 0; round < 2_000; round += 1) {
      const length = 1 + Math.floor(random.next() * 12);
      const text = Array.from({ length }, () => random.pick(HOSTILE_CHARACTERS)).join('');
      expect([JSON.stringify(text), ...placesOf(text)]).toEqual([JSON.stringify(text), ...placesByLaw(text)]);
    }
  });

  test('are visited once each: a long word costs as much as short words of the same length', () => {
    for (const { name, text } of hostileTexts) {
      const words = [...wordsOf(text)];
      expect([name, words.length]).toEqual([name, placesByLaw(text).length]);
      const index = spaced(text);
      expect(index.length, name).toBeLessThanOrEqual(2 * text.length);
    }
  });

  test('are compared by their first 256 units', () => {
    const texts = (text: string): string[] => [...wordsOf(text)].map((word) => word.text);
    expect(texts('x'.repeat(300))).toEqual(['x'.repeat(256)]);
    // The half of a surrogate pair at the cut is left out.
    expect(texts(`${'x'.repeat(255)}𝔘y`)).toEqual(['x'.repeat(255)]);
    expect(texts(`a${'\u0301'.repeat(30_000)} b`)).toEqual(['a', 'b']);
  });
});
