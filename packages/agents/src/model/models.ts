import type { SessionModelInfo } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ListingFailure, listModels } from './api/list-models.ts';
import type { ModelAgentConfig, NamedModel } from './config/config.ts';
import { modelConfigSchema } from './settings.ts';

/** Time for the list of models, in milliseconds. */
const LISTING_LIMIT_MS = 4_000;

/** The models of one agent: those that its config names, or those that its endpoint lists. */
export class Models {
  readonly #config: ModelAgentConfig;
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();
  #list: readonly NamedModel[];
  #refreshing: Promise<ListingFailure | undefined> | undefined;

  constructor(config: ModelAgentConfig) {
    this.#config = config;
    this.#list = config.models ?? [];
  }

  /** The models for clients, the default one first. */
  get infos(): SessionModelInfo[] {
    return this.#list.map(({ id, name, contextWindow, maxOutput, images }) => ({
      id,
      provider: this.#config.id,
      name: name ?? id,
      ...defined({
        maxContextWindow: contextWindow,
        maxOutputTokens: maxOutput,
        supportsVision: images,
      }),
      configSchema: modelConfigSchema,
    }));
  }

  /** The model with this id, or the default one. A model that is not listed may exist all the same. `undefined`: none is known. */
  find(id: string | undefined): NamedModel | undefined {
    if (id === undefined) return this.#list[0];
    return this.#list.find((model) => model.id === id) ?? { id };
  }

  /** Adds a listener for changes of the list. Returns a function that removes it. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks the endpoint. Resolves with the reason when it does not answer as it should. Rejects only for faults of the host. */
  refresh(key: string | undefined): Promise<ListingFailure | undefined> {
    this.#refreshing ??= this.#refresh(key).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  dispose(): void {
    this.#end.abort();
    this.#listeners.clear();
  }

  async #refresh(key: string | undefined): Promise<ListingFailure | undefined> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(LISTING_LIMIT_MS)]);
    try {
      const listed = await listModels(this.#config, key, signal);
      this.#take(listed);
      return listed.length === 0 && this.#list.length === 0
        ? new ListingFailure('the endpoint lists no models')
        : undefined;
    } catch (error) {
      if (error instanceof ListingFailure) return error;
      throw error;
    }
  }

  /** Named models keep what the config says, and get the rest from the list. */
  #take(listed: readonly NamedModel[]): void {
    const byId = new Map(listed.map((model) => [model.id, model]));
    const next = this.#config.models?.map((model) => ({ ...byId.get(model.id), ...model })) ?? listed;
    if (next.length === 0 || JSON.stringify(next) === JSON.stringify(this.#list)) return;
    this.#list = next;
    for (const listener of this.#listeners) listener();
  }
}
