import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../../acp/json.ts';
import type { ModelAgentConfig, ModelPrice, NamedModel } from '../config/config.ts';
import { authHeaders, baseUrlOf } from './endpoint.ts';
import { describeStatus } from './model-failure.ts';

/** Models of one endpoint that are offered. Further ones are dropped. */
const MAX_MODELS = 500;
/** Largest list of models, in bytes. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Models of OpenAI's list that cannot chat. */
const NO_CHAT =
  /embedding|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|davinci|babbage|sora/i;

/** Why the models of an endpoint could not be listed, for people. */
export class ListingFailure extends Error {
  override readonly name = 'ListingFailure';
  /** Whether another key may help. */
  readonly isAboutKey: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly isAboutKey?: boolean } = {}) {
    super(message, options);
    this.isAboutKey = options.isAboutKey === true;
  }
}

/** Asks the endpoint for its models. Rejects with `ListingFailure`. */
export async function listModels(
  config: ModelAgentConfig,
  key: string | undefined,
  signal: AbortSignal,
): Promise<readonly NamedModel[]> {
  const base = baseUrlOf(config);
  const query = config.api === 'google' ? '?pageSize=1000' : config.api === 'anthropic' ? '?limit=1000' : '';
  let response: Response;
  try {
    response = await fetch(`${base}/models${query}`, { headers: authHeaders(config.api, key), signal });
  } catch (cause) {
    throw new ListingFailure(
      signal.aborted ? `${base} does not answer` : `${base} cannot be reached: ${causeOf(cause)}`,
      { cause },
    );
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new ListingFailure(`${base}: ${describeStatus(response.status, key)}`, {
      isAboutKey: response.status === 401 || response.status === 403,
    });
  }
  const answer = await readJson(response, base);
  const entries = objectsOf(answer[config.api === 'google' ? 'models' : 'data']);
  const models = entries.flatMap((entry) => (config.api === 'google' ? googleModel(entry) : model(entry)));
  return models.slice(0, MAX_MODELS);
}

async function readJson(response: Response, base: string): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_LIST_BYTES) throw new Error('it is too long');
      chunks.push(chunk);
    }
    return objectOf(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch (cause) {
    throw new ListingFailure(`${base}/models: the list of models cannot be read: ${causeOf(cause)}`, {
      cause,
    });
  }
}

function model(entry: JsonObject): NamedModel[] {
  const id = textOf(entry['id']);
  if (id === undefined || NO_CHAT.test(id)) return [];
  const modalities = objectOf(entry['architecture'])['input_modalities'];
  return [
    {
      id,
      ...defined({
        name: textOf(entry['display_name']) ?? textOf(entry['name']),
        // The field has another name on each server: OpenRouter, vLLM, Anthropic, llama.cpp.
        contextWindow:
          numberOf(entry['context_length']) ??
          numberOf(entry['max_model_len']) ??
          numberOf(entry['max_input_tokens']) ??
          numberOf(objectOf(entry['meta'])['n_ctx_train']),
        maxOutput: numberOf(entry['max_tokens']) ?? numberOf(entry['max_completion_tokens']),
        images: Array.isArray(modalities) ? modalities.includes('image') : undefined,
        price: perMillion(objectOf(entry['pricing'])),
      }),
    },
  ];
}

function googleModel(entry: JsonObject): NamedModel[] {
  const id = textOf(entry['name'])?.replace(/^models\//, '');
  const methods = entry['supportedGenerationMethods'];
  if (id === undefined || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [
    {
      id,
      ...defined({
        name: textOf(entry['displayName']),
        contextWindow: numberOf(entry['inputTokenLimit']),
        maxOutput: numberOf(entry['outputTokenLimit']),
      }),
    },
  ];
}

/** OpenRouter lists prices per token, as text. */
function perMillion(pricing: JsonObject): ModelPrice | undefined {
  const read = (key: string): number | undefined => {
    const price = Number(pricing[key]);
    return pricing[key] === undefined || !Number.isFinite(price) || price < 0 ? undefined : price * 1e6;
  };
  const [input, output] = [read('prompt'), read('completion')];
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...defined({ cacheRead: read('input_cache_read'), cacheWrite: read('input_cache_write') }),
  };
}

/** Node hides the reason of a failed fetch in its cause. */
function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
