import type { AgentInfo, SessionModelInfo } from '@agenthost/protocol';
import type { Journal, JournalWrite } from '../journal/journal.ts';
import type { AgentProvider, ResolvedConfig } from './provider.ts';

/** What an agent said of itself when it last ran. */
interface Remembered {
  readonly models: readonly SessionModelInfo[];
  readonly config: ResolvedConfig;
}

type Commit = (writes: readonly JournalWrite[]) => Promise<void>;

const keyOf = (id: string): string => `agent:${id}`;

/** What agents say of themselves only while they run, kept so that it is known before they do [ROOT-4]. */
export class RememberedAgents {
  readonly #commit: Commit;
  readonly #byId: Map<string, Remembered>;

  private constructor(byId: Map<string, Remembered>, commit: Commit) {
    this.#byId = byId;
    this.#commit = commit;
  }

  /** Reads what is remembered of these providers. */
  static async load(journal: Journal, ids: readonly string[], commit: Commit): Promise<RememberedAgents> {
    const byId = new Map<string, Remembered>();
    for (const id of ids) {
      const text = await journal.readMeta(keyOf(id));
      if (text === undefined) continue;
      // Written below.
      const remembered: Remembered = JSON.parse(text);
      byId.set(id, remembered);
    }
    return new RememberedAgents(byId, commit);
  }

  /** The agent's description, with the models that it had when it has not said any yet. */
  complete(info: AgentInfo): AgentInfo {
    const models = this.#byId.get(info.provider)?.models ?? [];
    return info.models.length > 0 || models.length === 0 ? info : { ...info, models: [...models] };
  }

  /** The config that it had; `undefined` when it never ran. */
  config(id: string): ResolvedConfig | undefined {
    return this.#byId.get(id)?.config;
  }

  /** Keeps what a provider says now, an agent session being open. */
  async learn(provider: AgentProvider, workingDirectory: string): Promise<void> {
    const config = await provider.resolveConfig?.({ workingDirectory, values: {} });
    if (config === undefined) return;
    const remembered: Remembered = { models: provider.describe().models, config };
    const text = JSON.stringify(remembered);
    if (text === JSON.stringify(this.#byId.get(provider.id))) return;
    this.#byId.set(provider.id, remembered);
    await this.#commit([{ op: 'meta', key: keyOf(provider.id), value: text }]);
  }
}
