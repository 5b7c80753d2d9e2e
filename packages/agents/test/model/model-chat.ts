// A model agent in front of a stand-in for a model API.
import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { AgentProvider } from '@agenthost/host/agent';
import { type OpenChat, type OpenChatOptions, openChat } from '@agenthost/testkit';
import { type ChatCompletionRequest, type ChatMessage, LLMock } from '@copilotkit/aimock';
import { createModelProvider, type ModelAgentConfig, type ModelApi } from '../../src/index.ts';

/** The path in front of all paths of each API, as the stand-in serves them. */
export const API_PATHS: readonly (readonly [ModelApi, string])[] = [
  ['openai', '/v1'],
  ['openai-responses', '/v1'],
  ['anthropic', '/v1'],
  ['google', '/v1beta'],
];

/** Timers that fire at once, in order, and record their delays, except for limits of minutes. */
export class QuickTimers {
  readonly delays: number[] = [];

  after(delayMs: number, callback: () => void): () => void {
    // A limit, not a pause: it never fires.
    if (delayMs >= 300_000) return () => undefined;
    this.delays.push(delayMs);
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  }
}

/** What a test has open. */
export class ModelStage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-model-')));
  readonly mock = new LLMock({ port: 0, host: '127.0.0.1' });
  readonly timers = new QuickTimers();
  readonly #providers: AgentProvider[] = [];
  #base: string | undefined;

  /** A provider for this API. */
  async provider(
    api: ModelApi,
    config: Partial<ModelAgentConfig> & { keyFolder?: string } = {},
  ): Promise<AgentProvider> {
    this.#base ??= await this.mock.start();
    const path = API_PATHS.find(([name]) => name === api)?.[1] ?? '';
    const { keyFolder, ...rest } = config;
    const provider = createModelProvider(
      {
        id: 'mine',
        displayName: 'Mine',
        api,
        baseUrl: this.#base + path,
        apiKeyEnv: 'MODEL_KEY',
        models: [{ id: 'stand-in' }],
        ...rest,
      },
      { timers: this.timers, environment: { MODEL_KEY: 'sk-secret-key' }, keyFolder },
    );
    this.#providers.push(provider);
    return provider;
  }

  /** A chat with a new provider. */
  async chat(
    api: ModelApi,
    config: Partial<ModelAgentConfig> = {},
    options: Partial<OpenChatOptions> = {},
  ): Promise<OpenChat> {
    return openChat(await this.provider(api, config), { workingDirectory: this.folder, ...options });
  }

  /** The requests so far in the form of OpenAI's chat completions. */
  get requests(): ChatCompletionRequest[] {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the stand-in converts the requests of every API to this form
    return this.mock.getRequests().flatMap(({ body }) => (body ? [body as ChatCompletionRequest] : []));
  }

  /** The messages of the last request. */
  get lastMessages(): ChatMessage[] {
    return this.requests.at(-1)?.messages ?? [];
  }

  async end(): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.dispose()));
    if (this.#base !== undefined) await this.mock.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * The absolute path of a program of this machine. Absent: throws under REQUIRE_ALL=1, else says so, and tests are skipped.
 */
export function findProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  if (process.env['REQUIRE_ALL'] === '1') throw new Error(`${name} is not installed`);
  console.warn(`skipped: ${name} is not installed`);
  return undefined;
}

/** The text of a message. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}
