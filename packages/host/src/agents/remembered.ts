import type { AgentInfo, SessionModelInfo } from '@agenthost/protocol';
import type { Journal, JournalWrite } from '../journal/journal.ts';
import type { AgentCommand, AgentProvider, ResolvedConfig } from './provider.ts';

/** What an agent said of itself when it last ran. */
interface Remembered {
  readonly models: readonly SessionModelInfo[];
  readonly config: ResolvedConfig;
}

type Commit = (writes: readonly JournalWrite[]) => Promise<void>;

const keyOf = (id: string): string => `agent:${id}`;
const commandsKeyOf = (id: string): string => `agent-commands:${id}`;

/** What agents say of themselves only while they run, kept so that it is known before they do [ROOT-4]. */
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

  /** Reads what is remembered of these providers. */
  static async load(journal: Journal, ids: readonly string[], commit: Commit): Promise<RememberedAgents> {
    const byId = new Map<string, Remembered>();
    const commands = new Map<string, readonly AgentCommand[]>();
    for (const id of ids) {
      const list = await journal.readMeta(commandsKeyOf(id));
      if (list !== undefined) commands.set(id, JSON.parse(list));
      const text = await journal.readMeta(keyOf(id));
      if (text === undefined) continue;
      // Written below.
      const remembered: Remembered = JSON.parse(text);
      byId.set(id, remembered);
    }
    return new RememberedAgents(byId, commands, commit);
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

  /** The slash commands that it offered last, in whatever session; `undefined` when it never said. */
  commands(id: string): readonly AgentCommand[] | undefined {
    return this.#commands.get(id);
  }

  /** Keeps the slash commands that it offers now. */
  async learnCommands(id: string, commands: readonly AgentCommand[]): Promise<void> {
    const text = JSON.stringify(commands);
    if (text === JSON.stringify(this.#commands.get(id))) return;
    this.#commands.set(id, commands);
    await this.#commit([{ op: 'meta', key: commandsKeyOf(id), value: text }]);
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
