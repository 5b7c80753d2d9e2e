import {
  type AgentAvailability,
  AgentError,
  type AgentProvider,
  type OpenAgentSession,
} from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import { baseUrlOf } from './api/endpoint.ts';
import type { ModelAgentConfig } from './config/config.ts';
import { findKey, type KeyPlaces, keyFileOf, keyHint, locateKey, needsKey, storeKey } from './config/keys.ts';
import { Conversation } from './conversation/conversation.ts';
import { messagesOfTurns } from './conversation/history.ts';
import { readMemory } from './conversation/memory.ts';
import { Models } from './models.ts';
import type { ModelTimers } from './runtime.ts';
import { ModelSession } from './session.ts';
import { readSettings, sessionConfigSchema } from './settings.ts';
import { lengthOfShare } from './turn/compaction.ts';

/** Options of a model agent. */
export interface ModelProviderOptions extends KeyPlaces {
  readonly timers: ModelTimers;
  /** Whether to ask the endpoint for its models at once. Default false: when the agent is looked at or used. */
  readonly listsModels?: boolean;
}

/** Share of a model's context that the turns before a restart may fill. */
const HISTORY_SHARE = 0.5;

/**
 * Creates a coding agent that works with the models of one API. It runs in this process and starts nothing before it is used; the libraries
 * of the API load with the first turn.
 */
export function createModelProvider(config: ModelAgentConfig, options: ModelProviderOptions): AgentProvider {
  return new ModelProvider(config, options);
}

class ModelProvider implements AgentProvider {
  readonly id: string;
  readonly answersTools = true;
  readonly #config: ModelAgentConfig;
  readonly #options: ModelProviderOptions;
  readonly #models: Models;
  readonly #open = new Set<ModelSession>();
  #isDisposed = false;

  constructor(config: ModelAgentConfig, options: ModelProviderOptions) {
    this.id = config.id;
    this.#config = config;
    this.#options = options;
    this.#models = new Models(config);
    // Never rejects: a look at the agent tells the reason.
    if (options.listsModels === true) void this.availability();
  }

  describe() {
    const { id, displayName, description = '' } = this.#config;
    return {
      provider: id,
      displayName,
      description,
      models: this.#models.infos,
      capabilities: {
        multipleChats: { fork: true, sideChat: true },
        multipleWorkingDirectories: { primaryReplacement: true },
      },
    };
  }

  onInfoChanged(listener: () => void): () => void {
    return this.#models.onChanged(listener);
  }

  async availability(): Promise<AgentAvailability> {
    const { api } = this.#config;
    const source = `${api} at ${baseUrlOf(this.#config)}`;
    const signIn = `agenthost agents key ${this.id}`;
    try {
      const found = await locateKey(this.#config, this.#options);
      const key = found?.from ?? 'none';
      if (found === undefined && needsKey(this.#config))
        return { available: true, source, signIn, key, failure: `no key: ${keyHint(this.#config)}` };
      const failure = await this.#models.refresh(found?.key);
      if (failure === undefined) return { available: true, source, key };
      const { message, isAboutKey } = failure;
      return { available: true, source, key, failure: message, ...(isAboutKey ? { signIn } : {}) };
    } catch (error) {
      // A file that cannot be read has been found all the same.
      return { available: true, source, signIn, key: 'stored', failure: errorText(error) };
    }
  }

  async resolveConfig({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
    return { schema: sessionConfigSchema, values: { ...values, ...readSettings(values) } };
  }

  canResumeTurns(): boolean {
    return true;
  }

  async openSession(request: OpenAgentSession, signal: AbortSignal): Promise<ModelSession> {
    signal.throwIfAborted();
    if (this.#isDisposed) throw new AgentError('agentExited', 'The agent was disposed');
    const memory = readMemory(request.memory);
    const turns = await request.history();
    const start = turns.findIndex(({ id }) => id === memory.summary?.fromTurn);
    const length = lengthOfShare(this.#models.find(undefined)?.contextWindow, HISTORY_SHARE);
    const earlier = messagesOfTurns(start < 0 ? turns : turns.slice(start), length);
    const conversation = new Conversation((saved) => request.host.saveMemory(saved), { earlier, memory });
    const session = new ModelSession(
      request,
      {
        config: this.#config,
        models: this.#models,
        timers: this.#options.timers,
        keyPaths: this.#keyPaths,
        key: () => this.#key(),
        onClosed: (closed) => this.#open.delete(closed),
      },
      { conversation, unfinished: memory.turn },
    );
    this.#open.add(session);
    return session;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#models.dispose();
    await Promise.all([...this.#open].map((session) => session.terminate()));
  }

  async setKey(key: string): Promise<void> {
    const file = keyFileOf(this.#config, this.#options.keyFolder);
    if (file === undefined) throw new AgentError('hostError', 'this host has no folder for keys');
    await storeKey(file, key);
    // Finds the models that the key may use.
    await this.availability();
  }

  #key(): Promise<string | undefined> {
    return findKey(this.#config, this.#options);
  }

  get #keyPaths(): readonly string[] {
    const { apiKeyFile } = this.#config;
    return [apiKeyFile, this.#options.keyFolder].filter((path) => path !== undefined);
  }
}
