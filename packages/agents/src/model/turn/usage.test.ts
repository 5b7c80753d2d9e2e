import { expect, test } from 'vitest';
import { TurnUsage } from './usage.ts';

test('cache reads are counted, and cost what the price of the cache says', () => {
  const price = { input: 10, output: 50, cacheRead: 1 };
  const usage = new TurnUsage({ id: 'm', price }, { amount: 1, currency: 'USD' });
  for (let count = 0; count < 2; count += 1) {
    usage.add({
      inputTokens: 1_000_000,
      inputTokenDetails: { noCacheTokens: 400_000, cacheReadTokens: 600_000, cacheWriteTokens: undefined },
      outputTokens: 100_000,
      outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
      totalTokens: undefined,
    });
  }
  expect(usage.value).toEqual({
    model: 'm',
    inputTokens: 2_000_000,
    outputTokens: 200_000,
    cacheReadTokens: 1_200_000,
    _meta: { contextTokens: 1_100_000, cost: { amount: expect.closeTo(1 + 2 * 9.6), currency: 'USD' } },
  });
});
