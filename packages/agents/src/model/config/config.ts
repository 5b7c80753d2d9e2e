import { isAbsolute } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import { AgentConfigError, checkAgentId, isModelEntry } from '../../acp/config/config.ts';
import { isObject, type JsonObject } from '../../acp/json.ts';

/** The families of model APIs: OpenAI chat completions (also of other servers), OpenAI responses, Anthropic messages, Google Gemini. */
export const MODEL_APIS = ['openai', 'openai-responses', 'anthropic', 'google'] as const;
/** One family of model APIs. */
export type ModelApi = (typeof MODEL_APIS)[number];

/** Prices per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Default: that of `input`. */
  readonly cacheRead?: number;
  /** Default: that of `input`. */
  readonly cacheWrite?: number;
  /** ISO 4217. Default `USD`. */
  readonly currency?: string;
}

/** A model that the config names, or that the endpoint lists. */
export interface NamedModel {
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  /** Tokens. Absent: unknown. */
  readonly contextWindow?: number;
  /** Tokens. Absent: unknown. */
  readonly maxOutput?: number;
  /** Whether it accepts images. Absent: unknown, and images are sent. */
  readonly images?: boolean;
  /** Absent: the cost is not shown. */
  readonly price?: ModelPrice;
}

/** An agent that works with the models of one endpoint. */
export interface ModelAgentConfig {
  /** Provider id: `[a-z][a-z0-9+.-]*`. */
  readonly id: string;
  /** Default: the id. */
  readonly displayName: string;
  /** One line. Default: empty. */
  readonly description?: string;
  readonly api: ModelApi;
  /** URL in front of `/models` and the other paths of the API. Default: that of the vendor. */
  readonly baseUrl?: string;
  /**
   * Variable of the host's environment with the key. Default: the usual one of the API (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`,
   * `GEMINI_API_KEY`), and none with a `baseUrl`, so that a key is never sent to another server by accident.
   */
  readonly apiKeyEnv?: string;
  /** Absolute path of a file with the key. Its mode must be 0600. Default: the file that `agenthost agents key` writes. */
  readonly apiKeyFile?: string;
  /** The models to offer, the default one first. Absent: those that the endpoint lists. */
  readonly models?: readonly NamedModel[];
}

const ENTRY_KEYS = [
  'kind',
  'api',
  'displayName',
  'description',
  'baseUrl',
  'apiKeyEnv',
  'apiKeyFile',
  'models',
  'enabled',
];
const MODEL_KEYS = ['id', 'name', 'contextWindow', 'maxOutput', 'images', 'price'];
const PRICE_KEYS = ['input', 'output', 'cacheRead', 'cacheWrite', 'currency'];

/**
 * Reads the entries with `"kind": "model"` of the `agents` member of a parsed config file, without those that
 * `enabled: false` hides. Throws `AgentConfigError`.
 * @param file Path of the file, for messages.
 */
export function readModelAgents(config: unknown, file: string): ModelAgentConfig[] {
  const agents = isObject(config) ? config['agents'] : undefined;
  if (!isObject(agents)) return [];
  return Object.entries(agents).flatMap(([id, entry]) => {
    if (!isObject(entry) || !isModelEntry(entry)) return [];
    checkAgentId(id, file);
    if (id === 'demo')
      throw new AgentConfigError(
        `${file}: agents.demo: demo is the id of the built-in agent; choose another one`,
      );
    const read = new EntryReader(`${file}: agents.${id}`, entry, ENTRY_KEYS);
    const isEnabled = read.flag('enabled') ?? true;
    const agent = readAgent(id, read);
    return isEnabled ? [agent] : [];
  });
}

function readAgent(id: string, read: EntryReader): ModelAgentConfig {
  const apiKeyFile = read.text('apiKeyFile');
  if (apiKeyFile !== undefined && !isAbsolute(apiKeyFile))
    throw read.wrong('apiKeyFile', 'an absolute path', apiKeyFile);
  const apiKeyEnv = read.text('apiKeyEnv');
  if (apiKeyEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(apiKeyEnv))
    throw read.wrong('apiKeyEnv', 'the name of an environment variable', apiKeyEnv);
  return {
    id,
    displayName: read.text('displayName') ?? id,
    api: read.choice('api', MODEL_APIS),
    ...defined({
      description: read.text('description'),
      baseUrl: readUrl(read),
      apiKeyEnv,
      apiKeyFile,
      models: readModels(read),
    }),
  };
}

function readUrl(read: EntryReader): string | undefined {
  const given = read.text('baseUrl');
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw read.wrong('baseUrl', 'an http or https URL without credentials and query', given);
  return given.replace(/\/+$/, '');
}

function readModels(read: EntryReader): readonly NamedModel[] | undefined {
  const given = read.entry['models'];
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length === 0)
    throw read.wrong('models', 'a list of model ids or objects with an id', given);
  return given.map((model: unknown, index) => {
    if (typeof model === 'string' && model !== '') return { id: model };
    if (!isObject(model)) throw read.wrong(`models[${index}]`, 'a model id or an object with an id', model);
    return readModel(new EntryReader(`${read.place}.models[${index}]`, model, MODEL_KEYS));
  });
}

function readModel(read: EntryReader): NamedModel {
  const id = read.text('id');
  if (id === undefined) throw read.wrong('id', 'the id of a model', undefined);
  const price = read.entry['price'];
  if (price !== undefined && !isObject(price))
    throw read.wrong('price', 'an object with input and output', price);
  return {
    id,
    ...defined({
      name: read.text('name'),
      contextWindow: read.amount('contextWindow'),
      maxOutput: read.amount('maxOutput'),
      images: read.flag('images'),
      price:
        price === undefined
          ? undefined
          : readPrice(new EntryReader(`${read.place}.price`, price, PRICE_KEYS)),
    }),
  };
}

function readPrice(read: EntryReader): ModelPrice {
  const [input, output] = [read.amount('input'), read.amount('output')];
  if (input === undefined || output === undefined)
    throw read.wrong('input', 'input and output, prices per million tokens', read.entry['input']);
  return {
    input,
    output,
    ...defined({
      cacheRead: read.amount('cacheRead'),
      cacheWrite: read.amount('cacheWrite'),
      currency: read.text('currency'),
    }),
  };
}

/** Reads the members of one object of the config file. */
class EntryReader {
  readonly place: string;
  readonly entry: JsonObject;

  constructor(place: string, entry: JsonObject, known: readonly string[]) {
    this.place = place;
    this.entry = entry;
    for (const key of Object.keys(entry)) {
      if (!known.includes(key))
        throw new AgentConfigError(`${place}.${key}: unknown; expected one of ${known.join(', ')}`);
    }
  }

  text(key: string): string | undefined {
    return this.#member(key, 'a non-empty string', (value) => typeof value === 'string' && value !== '');
  }

  flag(key: string): boolean | undefined {
    return this.#member(key, 'true or false', (value) => typeof value === 'boolean');
  }

  amount(key: string): number | undefined {
    return this.#member(
      key,
      'a number from 0',
      (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    );
  }

  choice<T extends string>(key: string, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.entry[key]);
    if (found === undefined) throw this.wrong(key, `one of ${choices.join(', ')}`, this.entry[key]);
    return found;
  }

  wrong(key: string, expected: string, got: unknown): AgentConfigError {
    const shown = JSON.stringify(got)?.slice(0, 80) ?? 'nothing';
    return new AgentConfigError(`${this.place}.${key}: expected ${expected}, got ${shown}`);
  }

  #member<T>(key: string, expected: string, holds: (value: unknown) => boolean): T | undefined {
    const value = this.entry[key];
    if (value === undefined) return undefined;
    if (!holds(value)) throw this.wrong(key, expected, value);
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- checked by `holds` on the line above
    return value as T;
  }
}
