import type { AgentInfo } from '@agenthost/protocol';
import { providerNotFound } from '@agenthost/protocol';
import type { AgentProvider } from './provider.ts';
import type { RememberedAgents } from './remembered.ts';

/** The agents that this host offers, in the given order. */
export class AgentRegistry {
  readonly #providers: ReadonlyMap<string, AgentProvider>;
  readonly #defaultId: () => string | undefined;
  readonly #remembered: RememberedAgents;
  readonly #leave: (() => void)[] = [];

  /** `defaultId`: the provider of sessions that name none. */
  constructor(
    providers: readonly AgentProvider[],
    remembered: RememberedAgents,
    defaultId: () => string | undefined,
  ) {
    this.#providers = new Map(providers.map((provider) => [provider.id, provider]));
    this.#remembered = remembered;
    this.#defaultId = defaultId;
  }

  /** Ids of all agents, in the given order. */
  get ids(): readonly string[] {
    return [...this.#providers.keys()];
  }

  /** All agents, in the given order. */
  get providers(): readonly AgentProvider[] {
    return [...this.#providers.values()];
  }

  /** The provider id of sessions that name none. `undefined`: they have none. */
  get defaultId(): string | undefined {
    return this.#defaultId();
  }

  /** The provider with this id, or the default provider. Throws `-32002` [SESS-1]. */
  get(id: string | undefined): AgentProvider {
    const wanted = id ?? this.#defaultId() ?? '';
    const provider = this.#providers.get(wanted);
    if (provider === undefined) throw providerNotFound(wanted, [...this.#providers.keys()]);
    return provider;
  }

  /** The descriptions of all agents for clients. */
  describe(): AgentInfo[] {
    return [...this.#providers.values()].map((provider) => this.#remembered.complete(provider.describe()));
  }

  /** Calls back when the description of an agent changes. */
  onChanged(listener: () => void): void {
    for (const provider of this.#providers.values()) {
      const leave = provider.onInfoChanged?.(listener);
      if (leave !== undefined) this.#leave.push(leave);
    }
  }

  /** Ends all processes of agents. */
  async dispose(): Promise<void> {
    for (const leave of this.#leave.splice(0)) leave();
    await Promise.all([...this.#providers.values()].map((provider) => provider.dispose()));
  }
}
