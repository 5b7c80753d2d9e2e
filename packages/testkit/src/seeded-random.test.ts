import { expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

const draw = (random: SeededRandom) => Array.from({ length: 1_000 }, () => random.int(10));

test('the same seed gives the same numbers, another seed gives others, and all are in range', () => {
  const numbers = draw(new SeededRandom(7));
  expect(draw(new SeededRandom(7))).toEqual(numbers);
  expect(draw(new SeededRandom(8))).not.toEqual(numbers);
  expect(draw(SeededRandom.of(7, 'a'))).not.toEqual(draw(SeededRandom.of(7, 'b')));
  expect(new Set(numbers)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

test('weights decide how often each key is drawn', () => {
  const random = new SeededRandom(1);
  const counts = { often: 0, seldom: 0, never: 0 };
  for (let count = 0; count < 1_000; count += 1)
    counts[random.weighted({ often: 9, seldom: 1, never: 0 })] += 1;
  expect(counts.never).toBe(0);
  expect(counts.seldom).toBeGreaterThan(50);
  expect(counts.seldom).toBeLessThan(150);
});
