import type { UsageInfo } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../json.ts';

/**
 * Gathers what an agent says of tokens during a turn. Agents say it in one of four places: chunks (`_meta.usage`, per model call), the
 * prompt's result (`usage`, or `_meta.quota`, for the turn), and `usage_update` (the context's fill and the cost).
 */
export class TurnUsage {
  #usage: UsageInfo = {};
  #context: Record<string, unknown> = {};

  /** What is known now; `undefined` when nothing is. */
  get value(): UsageInfo | undefined {
    const hasContext = Object.keys(this.#context).length > 0;
    if (!hasContext && Object.keys(this.#usage).length === 0) return undefined;
    return hasContext ? { ...this.#usage, _meta: this.#context } : this.#usage;
  }

  /** Adds one model call's tokens. Returns whether there were any. */
  addCall(meta: JsonObject): boolean {
    const counts = readCounts(objectOf(meta['usage']));
    for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
      const count = counts[key];
      if (count !== undefined) this.#usage = { ...this.#usage, [key]: (this.#usage[key] ?? 0) + count };
    }
    return Object.keys(counts).length > 0;
  }

  /** Takes how full the context is, in tokens, and the session's cost. */
  setContext(update: { used?: number; size?: number; cost?: JsonObject }): void {
    if (update.used !== undefined) this.#context['contextTokens'] = update.used;
    if (update.size !== undefined) this.#context['contextWindow'] = update.size;
    if (update.cost !== undefined) this.#context['cost'] = update.cost;
  }

  /** Takes the turn's total from the prompt's result, in place of what was added up. Returns whether it had any. */
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
