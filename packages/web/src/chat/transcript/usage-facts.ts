import type { UsageInfo } from '@agenthost/protocol';
import { costText, countText, percentText } from '../../text/format.ts';
import { text } from '../../text/text.ts';

/** A short text about usage, with a longer one. */
export interface UsageFact {
  readonly label: string;
  readonly title: string | undefined;
}

const numberIn = (value: unknown, key: string): number | undefined => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
};

/** The cost that an agent reported in `_meta`; it counts from the beginning of the session. */
export function costOf(usage: UsageInfo | undefined): string | undefined {
  const cost: unknown = usage?._meta?.['cost'];
  const amount = numberIn(cost, 'amount');
  const currency: unknown =
    typeof cost === 'object' && cost !== null ? Reflect.get(cost, 'currency') : undefined;
  return amount === undefined ? undefined : costText(amount, typeof currency === 'string' ? currency : 'USD');
}

/** The share of the model's context that is used, from 0 to 1. */
export function contextShare(usage: UsageInfo | undefined): number | undefined {
  const used = numberIn(usage?._meta, 'contextTokens');
  const size = numberIn(usage?._meta, 'contextWindow');
  return used === undefined || size === undefined || size <= 0 ? undefined : Math.min(1, used / size);
}

/** The usage of a turn as short texts: tokens, context, cost, model. `tokensText` makes the text for a number of tokens. */
export function usageFacts(
  usage: UsageInfo | undefined,
  tokensText: (count: string) => string = text.chat.usageTokens,
): UsageFact[] {
  if (usage === undefined) return [];
  const { inputTokens, outputTokens, cacheReadTokens, model } = usage;
  const details = [
    ...(inputTokens === undefined ? [] : [text.chat.usageIn(countText(inputTokens))]),
    ...(outputTokens === undefined ? [] : [text.chat.usageOut(countText(outputTokens))]),
    ...(cacheReadTokens === undefined ? [] : [text.chat.usageCached(countText(cacheReadTokens))]),
  ];
  const all = (inputTokens ?? 0) + (outputTokens ?? 0);
  const cost = costOf(usage);
  const share = contextShare(usage);
  return [
    ...(all === 0 ? [] : [{ label: tokensText(countText(all)), title: details.join(', ') }]),
    ...(share === undefined ? [] : [{ label: text.chat.context(percentText(share)), title: undefined }]),
    ...(cost === undefined ? [] : [{ label: cost, title: text.chat.cost(cost) }]),
    ...(model === undefined ? [] : [{ label: model, title: model }]),
  ];
}
