import type { UsageInfo } from '@agenthost/protocol';
import type { Attributes } from '../otlp.ts';

/** Kinds of tokens that agents report, with their names in attributes. */
const TOKENS = {
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
} as const;

/** A cost as reported by the agent. */
export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** The provider of the model as the agent reports it, by the GenAI conventions: `anthropic`. `undefined`: it does not. */
export function modelProviderOf(usage: UsageInfo): string | undefined {
  const provider: unknown = usage._meta?.['modelProvider'];
  return typeof provider === 'string' ? provider.slice(0, 64) : undefined;
}

/** The tokens of a usage as attributes. */
export const tokenAttributes = (usage: UsageInfo | undefined): Attributes => ({
  [TOKENS.inputTokens]: usage?.inputTokens,
  [TOKENS.outputTokens]: usage?.outputTokens,
  [TOKENS.cacheReadTokens]: usage?.cacheReadTokens,
});

/** The cost in a usage; `undefined`: none was reported. Agents report the cost of the whole chat so far, not that of a turn. */
export function costOf(usage: UsageInfo | undefined): Cost | undefined {
  const cost: unknown = usage?._meta?.['cost'];
  if (typeof cost !== 'object' || cost === null) return undefined;
  const amount: unknown = Reflect.get(cost, 'amount');
  const currency: unknown = Reflect.get(cost, 'currency');
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) return undefined;
  return { amount, currency: typeof currency === 'string' ? currency.slice(0, 8) : 'USD' };
}

/** The tokens of `usage` that are not in `earlier`. A count that fell counts as a new one. `undefined`: there are none. */
export function addedTokens(usage: UsageInfo, earlier: UsageInfo): UsageInfo | undefined {
  const added: UsageInfo = {};
  let total = 0;
  for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
    const count = usage[key];
    if (count === undefined) continue;
    const before = earlier[key] ?? 0;
    added[key] = count >= before ? count - before : count;
    total += added[key];
  }
  return total > 0 ? added : undefined;
}
