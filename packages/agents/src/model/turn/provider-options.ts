import { createHash } from 'node:crypto';
import type { Instructions, ModelMessage } from 'ai';
import type { ModelApi } from '../config/config.ts';
import type { ThinkingLevel } from '../settings.ts';
import type { StepRequest } from './step.ts';

const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Options that make APIs cache the beginning of a conversation: Anthropic caches up to marks, OpenAI by a key of the chat, Google by itself.
 * OpenAI is asked not to store answers; the conversation is in the journal of the host.
 */
export function providerOptions(
  api: ModelApi,
  {
    chat,
    modelId,
    thinking,
  }: { readonly chat: string; readonly modelId: string; readonly thinking: ThinkingLevel },
): StepRequest['providerOptions'] {
  if (api !== 'openai-responses') return {};
  const promptCacheKey = createHash('sha256').update(chat).digest('hex').slice(0, 32);
  // The library knows which models of OpenAI think. It drops the level for all others.
  const forceReasoning = thinking !== 'default' && !/^(?:gpt|chatgpt|o\d)/i.test(modelId);
  return {
    openai: {
      store: false,
      include: ['reasoning.encrypted_content'],
      promptCacheKey,
      ...(forceReasoning ? { forceReasoning } : {}),
    },
  };
}

/** The system prompt with a mark up to which it is cached. */
export const cachedInstructions = (api: ModelApi, text: string): Instructions =>
  api === 'anthropic' ? { role: 'system', content: text, providerOptions: CACHED } : text;

/** The messages with a mark on the last one, so that the next call reads all of them from the cache. */
export function cachedMessages(api: ModelApi, messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (api !== 'anthropic' || last === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, providerOptions: { ...last.providerOptions, ...CACHED } }];
}
