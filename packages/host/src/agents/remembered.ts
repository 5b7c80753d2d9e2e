import type { AgentInfo, SessionModelInfo } from '@agenthost/protocol';
import type { Journal, JournalWrite } from '../journal/journal.ts';
import type { AgentCommand, AgentProvider, ResolvedConfig } from './provider.ts';

/** The data of an agent from its last run. */
interface Remembered {
  readonly models: readonly SessionModelInfo[];
  readonly config: ResolvedConfig;
}

type Commit = (writes: readonly JournalWrite[]) => Promise<void>;

const keyOf = (id: string): string => `agent:${id}`;
const commandsKeyOf = (id: string): string => `agent-commands:${id}`;

/** Data that agents report only while they run, stored to be available before an agent runs [ROOT-4]. */
export class RememberedAgents {
  readonly #commit: Commit;
  readonly #byId: Map<string, Remembered>;
  readonly #commands: Map<string, readonly AgentCommand[]>;

  private constructor(
    byId: Map<string, Remembered>,
    commands: Map<string, readonly AgentCommand[]>,
    commit: Commit,
  ) {
    this.#byId = byId;
    this.#commands = commands;
    this.#commit = commit;
  }

  /** Reads the stored data of these providers. */
  static async load(journal: Journal, ids: readonly string[], commit: Commit): Promise<RememberedAgents> {
    const byId = new Map<string, Remembered>();
    const commands = new Map<string, readonly AgentCommand[]>();
    for (const id of ids) {
      const list = await journal.readMeta(commandsKeyOf(id));
      if (list !== undefined) commands.set(id, JSON.parse(list));
      const text = await journal.readMeta(keyOf(id));
      if (text === undefined) continue;
      // This class wrote the value.
      const remembered: Remembered = JSON.parse(text);
      byId.set(id, remembered);
    }
    return new RememberedAgents(byId, commands, commit);
  }

  /** The agent's description, with the stored models if the agent has not reported any yet. */
  complete(info: AgentInfo): AgentInfo {
    const models = this.#byId.get(info.provider)?.models ?? [];
    return info.models.length > 0 || models.length === 0 ? info : { ...info, models: [...models] };
  }

  /** The stored config; `undefined` if the agent has never run. */
  config(id: string): ResolvedConfig | undefined {
    return this.#byId.get(id)?.config;
  }

  /**
   * The slash commands that the agent last reported, in any session; `undefined` if it has not reported any.
   */
  commands(id: string): readonly AgentCommand[] | undefined {
    return this.#commands.get(id);
  }

  /** Stores the slash commands that the agent offers now. */
  async learnCommands(id: string, commands: readonly AgentCommand[]): Promise<void> {
    const text = JSON.stringify(commands);
    if (text === JSON.stringify(this.#commands.get(id))) return;
    this.#commands.set(id, commands);
    await this.#commit([{ op: 'meta', key: commandsKeyOf(id), value: text }]);
  }

  /** Stores the data that a provider reports now. Call it while an agent session is open. */
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
