import type { LanguageModel } from 'ai';
import type { ModelAgentConfig, ModelApi } from '../config/config.ts';

const VENDOR_URLS: Readonly<Record<ModelApi, string>> = {
  openai: 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Local servers need no key, but the libraries insist on one. */
const NO_KEY = 'none';

/** The URL in front of all paths of an agent's API. */
export const baseUrlOf = ({ api, baseUrl }: Pick<ModelAgentConfig, 'api' | 'baseUrl'>): string =>
  baseUrl ?? VENDOR_URLS[api];

/** Loads the library of an API on first use, and returns one of its models. */
export async function openModel(
  config: ModelAgentConfig,
  key: string | undefined,
  modelId: string,
): Promise<LanguageModel> {
  const baseURL = baseUrlOf(config);
  const apiKey = key ?? NO_KEY;
  switch (config.api) {
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const settings = { name: 'openai', baseURL, includeUsage: true };
      return createOpenAICompatible(key === undefined ? settings : { ...settings, apiKey })(modelId);
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL, apiKey }).responses(modelId);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL, apiKey })(modelId);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ baseURL, apiKey })(modelId);
    }
    default:
      return config.api satisfies never;
  }
}

/** The headers that authenticate a request to an API. */
export function authHeaders(api: ModelApi, key: string | undefined): Record<string, string> {
  const version: Record<string, string> = api === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  if (key === undefined) return version;
  switch (api) {
    case 'openai':
    case 'openai-responses':
      return { authorization: `Bearer ${key}` };
    case 'anthropic':
      return { 'x-api-key': key, ...version };
    case 'google':
      return { 'x-goog-api-key': key };
    default:
      return api satisfies never;
  }
}
