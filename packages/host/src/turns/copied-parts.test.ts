import { expect, test } from 'vitest';
import { COLLECT_COPIED, CopiedParts } from './copied-parts.ts';

/** Collections while a turn comes to so many tool calls, of three actions each. */
function collectionsOf(callCount: number): number {
  let count = 0;
  const copied = new CopiedParts(() => (count += 1));
  for (let partCount = 1; partCount <= callCount; partCount += 1)
    for (let action = 0; action < 3; action += 1) copied.add(partCount);
  return count;
}

test('a turn of usual length is never worth a collection, and one of 50,000 calls is worth some', () => {
  expect(collectionsOf(5_000)).toBe(0);
  const entryCount = (3 * 50_000 * 50_001) / 2;
  expect(collectionsOf(50_000)).toBe(Math.floor(entryCount / COLLECT_COPIED));
});
