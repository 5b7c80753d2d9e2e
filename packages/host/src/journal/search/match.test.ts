import { hostileTexts, SeededRandom } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { matchFields, TermFinder } from './match.ts';
import { parseQuery, type Term } from './query.ts';

/** Ends of a term in a text, found by a comparison at each position. */
function endsOf(words: readonly string[], { words: wanted, isPrefix }: Term): number[] {
  return words.flatMap((_, from) => {
    const fits = wanted.every((each, offset) => {
      const word = words[from + offset];
      return word === each || (isPrefix && offset === wanted.length - 1 && word?.startsWith(each) === true);
    });
    return fits ? [from + wanted.length - 1] : [];
  });
}

describe('a term', () => {
  test('is found wherever it ends, with words that repeat within it too', () => {
    const random = SeededRandom.of(1, 'terms');
    const some = (length: number): string[] =>
      Array.from({ length }, () => random.pick(['a', 'a', 'b', 'ab', 'aba']));
    for (let round = 0; round < 2_000; round += 1) {
      const words = some(random.int(20));
      const term = { words: some(1 + random.int(5)), isPrefix: random.chance(0.5) };
      const finder = new TermFinder(term);
      expect([words, term, words.flatMap((word, index) => (finder.next(word) ? [index] : []))]).toEqual([
        words,
        term,
        endsOf(words, term),
      ]);
    }
  });
});

describe('a match', () => {
  test('is shown in some 120 characters of any text', () => {
    for (const { name, text, phrase, beginning } of hostileTexts) {
      for (const query of [phrase, beginning]) {
        const terms = parseQuery(query);
        if (terms.length === 0) continue;
        const match = matchFields({ message: text, response: text }, terms);
        expect([name, match?.field]).toEqual([name, 'message']);
        expect(match?.snippet.length, name).toBeLessThanOrEqual(122);
        expect(match?.matches.length, name).toBeGreaterThan(0);
      }
    }
  });
});
