import type { AgentInfo } from '@agenthost/protocol';
import { providerNotFound } from '@agenthost/protocol';
import type { AgentProvider } from './provider.ts';
import type { RememberedAgents } from './remembered.ts';

/** The agents that this host offers, in the order given. */
export class AgentRegistry {
  readonly #providers: ReadonlyMap<string, AgentProvider>;
  readonly #defaultId: () => string | undefined;
  readonly #remembered: RememberedAgents;
  readonly #leave: (() => void)[] = [];

  /** `defaultId`: for sessions that name no provider. */
  constructor(
    providers: readonly AgentProvider[],
    remembered: RememberedAgents,
    defaultId: () => string | undefined,
  ) {
    this.#providers = new Map(providers.map((provider) => [provider.id, provider]));
    this.#remembered = remembered;
    this.#defaultId = defaultId;
  }

  /** Ids of all of them, in the order given. */
  get ids(): readonly string[] {
    return [...this.#providers.keys()];
  }

  /** The provider by id, or the default one; throws `-32002` [SESS-1]. */
  get(id: string | undefined): AgentProvider {
    const wanted = id ?? this.#defaultId() ?? '';
    const provider = this.#providers.get(wanted);
    if (provider === undefined) throw providerNotFound(wanted, [...this.#providers.keys()]);
    return provider;
  }

  /** What clients see of all of them. */
  describe(): AgentInfo[] {
    return [...this.#providers.values()].map((provider) => this.#remembered.complete(provider.describe()));
  }

  /** Calls back whenever what one of them says of itself changes. */
  onChanged(listener: () => void): void {
    for (const provider of this.#providers.values()) {
      const leave = provider.onInfoChanged?.(listener);
      if (leave !== undefined) this.#leave.push(leave);
    }
  }

  /** Ends everything that agents run. */
  async dispose(): Promise<void> {
    for (const leave of this.#leave.splice(0)) leave();
    await Promise.all([...this.#providers.values()].map((provider) => provider.dispose()));
  }
}
