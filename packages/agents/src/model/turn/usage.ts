import type { UsageInfo } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { LanguageModelUsage } from 'ai';
import type { ModelApi, ModelPrice, NamedModel } from '../config/config.ts';
import type { Cost } from '../conversation/memory.ts';

/** The providers of the APIs, as the GenAI conventions of OpenTelemetry name them. */
const PROVIDERS: Readonly<Record<ModelApi, string>> = {
  openai: 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
};

/** The tokens of one turn, over all calls of the model, and the cost of the chat. */
export class TurnUsage {
  readonly #model: NamedModel;
  readonly #api: ModelApi | undefined;
  #usage: UsageInfo;
  #cost: Cost | undefined;
  #contextTokens = 0;

  /** `cost`: of the chat before this turn. `api`: for telemetry. */
  constructor(model: NamedModel, cost: Cost | undefined, api?: ModelApi) {
    this.#model = model;
    this.#api = api;
    this.#cost = cost;
    this.#usage = { model: model.id };
  }

  /** Adds one call of the model with the conversation. */
  add(usage: LanguageModelUsage): void {
    this.addAside(usage);
    this.#contextTokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }

  /** Adds a call of the model with something other than the conversation. */
  addAside(usage: LanguageModelUsage): void {
    const { inputTokens, outputTokens, inputTokenDetails } = usage;
    this.#usage = {
      ...this.#usage,
      ...defined({
        inputTokens: sum(this.#usage.inputTokens, inputTokens),
        outputTokens: sum(this.#usage.outputTokens, outputTokens),
        cacheReadTokens: sum(this.#usage.cacheReadTokens, inputTokenDetails.cacheReadTokens || undefined),
      }),
    };
    const { price } = this.#model;
    if (price === undefined) return;
    this.spend({ amount: costOf(usage, price), currency: price.currency ?? 'USD' });
  }

  /** Adds the cost of a worker. */
  spend(cost: Cost | undefined): void {
    if (cost === undefined) return;
    const before = this.#cost?.currency === cost.currency ? this.#cost.amount : 0;
    this.#cost = { amount: before + cost.amount, currency: cost.currency };
  }

  /** The conversation was made shorter. */
  compacted(): void {
    this.#contextTokens = 0;
  }

  /** Tokens of the conversation after the last call. 0: unknown. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** Cost of the chat. `undefined`: the prices are unknown. */
  get cost(): Cost | undefined {
    return this.#cost;
  }

  get value(): UsageInfo {
    const { contextWindow } = this.#model;
    return {
      ...this.#usage,
      _meta: {
        ...(this.#contextTokens === 0 ? {} : { contextTokens: this.#contextTokens }),
        ...defined({
          contextWindow,
          cost: this.#cost,
          modelProvider: this.#api && PROVIDERS[this.#api],
        }),
      },
    };
  }
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  b === undefined ? a : (a ?? 0) + b;

const MILLION = 1_000_000;

function costOf(
  { inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage,
  price: ModelPrice,
) {
  const cacheRead = inputTokenDetails.cacheReadTokens ?? 0;
  const cacheWrite = inputTokenDetails.cacheWriteTokens ?? 0;
  const plain = Math.max(0, inputTokens - cacheRead - cacheWrite);
  return (
    (plain * price.input +
      cacheRead * (price.cacheRead ?? price.input) +
      cacheWrite * (price.cacheWrite ?? price.input) +
      outputTokens * price.output) /
    MILLION
  );
}
