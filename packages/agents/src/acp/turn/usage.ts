import type { UsageInfo } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../json.ts';

/**
 * Collects the usage that an agent reports during a turn. Agents report it in chunks (`_meta.usage`, per
 * model call), in the prompt's result (`usage` or `_meta.quota`, for the turn), and by `usage_update` (size
 * of the context and cost).
 */
export class TurnUsage {
  #usage: UsageInfo = {};
  #context: Record<string, unknown> = {};

  /** The usage so far. `undefined` when nothing was reported. */
  get value(): UsageInfo | undefined {
    const hasContext = Object.keys(this.#context).length > 0;
    if (!hasContext && Object.keys(this.#usage).length === 0) return undefined;
    return hasContext ? { ...this.#usage, _meta: this.#context } : this.#usage;
  }

  /** Adds the tokens of one model call. Returns whether there were any. */
  addCall(meta: JsonObject): boolean {
    const counts = readCounts(objectOf(meta['usage']));
    for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
      const count = counts[key];
      if (count !== undefined) this.#usage = { ...this.#usage, [key]: (this.#usage[key] ?? 0) + count };
    }
    return Object.keys(counts).length > 0;
  }

  /** Sets the size of the context in tokens, and the session's cost. */
  setContext(update: { used?: number; size?: number; cost?: JsonObject }): void {
    if (update.used !== undefined) this.#context['contextTokens'] = update.used;
    if (update.size !== undefined) this.#context['contextWindow'] = update.size;
    if (update.cost !== undefined) this.#context['cost'] = update.cost;
  }

  /** Replaces the sum by the total in the prompt's result. Returns whether the result had a total. */
  setResult(result: JsonObject): boolean {
    const quota = objectOf(objectOf(result['_meta'])['quota']);
    const counts = {
      ...readCounts(objectOf(quota['token_count'])),
      ...readCounts(objectOf(result['usage'])),
    };
    const models = objectsOf(quota['model_usage']).flatMap((entry) => textOf(entry['model']) ?? []);
    const model = models[0];
    if (Object.keys(counts).length === 0) return false;
    this.#usage = model === undefined ? { ...this.#usage, ...counts } : { ...this.#usage, ...counts, model };
    return true;
  }
}

function readCounts(usage: JsonObject): UsageInfo {
  const inputTokens = numberOf(usage['inputTokens']) ?? numberOf(usage['input_tokens']);
  const outputTokens = numberOf(usage['outputTokens']) ?? numberOf(usage['output_tokens']);
  const cacheReadTokens = numberOf(usage['cachedReadTokens']) ?? numberOf(usage['cachedInputTokens']);
  return {
    ...defined({ inputTokens, outputTokens, cacheReadTokens }),
  };
}
