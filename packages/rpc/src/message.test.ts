import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasAtMostElements } from './message.ts';

/** Counts lists, objects and the separators of their entries in a parsed value. */
function elementsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Object.values(value);
  return children.reduce<number>(
    (sum, child) => sum + elementsOf(child),
    1 + Math.max(0, children.length - 1),
  );
}

test('counts the elements of JSON, regardless of the contents of its strings', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = JSON.stringify(value);
      const count = elementsOf(value);
      expect(hasAtMostElements(json, count)).toBe(true);
      if (count > 0) expect(hasAtMostElements(json, count - 1)).toBe(false);
    }),
  );
});

test.each([
  ['brackets in a text', '{"a":"[{,[{,[{,\\",[{,"}', 1],
  ['a text that ends with a backslash', '["\\\\",[],"[["]', 4],
  ['invalid JSON', '"[[[[[[[[', 0],
])('%s', (_, json, count) => {
  expect(hasAtMostElements(json, count)).toBe(true);
  if (count > 0) expect(hasAtMostElements(json, count - 1)).toBe(false);
});
