import type { AgentSessionHost } from '@agenthost/host/agent';
import type { JsonObject } from '../json.ts';
import type { AcpConnection } from '../process/connection.ts';
import type { AcpLog } from '../runtime.ts';
import type { SessionUpdate } from '../session/session-update.ts';
import { AgentSessionConfig, type ConfigChange } from './session-config.ts';

/** Sends one request of a session that is attached. */
export interface ConfigTarget {
  readonly connection: AcpConnection;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Keeps the config of an agent's session and what the host wants of it the same, in both directions. */
export class ConfigControl {
  readonly offered = new AgentSessionConfig();
  readonly #host: AgentSessionHost;
  readonly #log: AcpLog;
  /** Given by the host, and following the agent when it changes something by itself. */
  #wanted: Readonly<Record<string, unknown>>;
  #published = '';

  constructor(host: AgentSessionHost, wanted: Readonly<Record<string, unknown>>, log: AcpLog) {
    this.#host = host;
    this.#wanted = wanted;
    this.#log = log;
  }

  want(values: Readonly<Record<string, unknown>>): void {
    this.#wanted = { ...this.#wanted, ...values };
  }

  /** The agent has changed something by itself. */
  take(update: Extract<SessionUpdate, { type: 'mode' | 'configOptions' }>): void {
    if (update.type === 'mode') this.offered.setMode(update.modeId);
    else this.offered.setOptions(update.options);
    this.#follow();
  }

  /** Brings the agent to what is wanted; what it refuses stays as it is, and is logged. Rejects when the connection is over. */
  async apply(target: ConfigTarget): Promise<void> {
    for (const [key, value] of Object.entries(this.#wanted)) {
      const change = this.offered.change(key, value);
      if (change === undefined) continue;
      try {
        await this.#send(target, change);
      } catch (error) {
        if (!target.connection.isOpen) throw error;
        this.#log('warn', 'agent refused a config value', { key, error: String(error) });
      }
    }
    this.#follow();
  }

  /** Chooses the model of the next prompt. Resolves with whether the agent has it. Rejects with what the agent says against it. */
  async chooseModel(target: ConfigTarget, modelId: string): Promise<boolean> {
    const change = this.offered.changeModel(modelId);
    if (change === undefined) return this.offered.hasModel(modelId);
    await this.#send(target, change);
    this.#follow();
    return true;
  }

  async #send(target: ConfigTarget, change: ConfigChange): Promise<void> {
    this.offered.applied(change, await target.request(change.method, change.params));
  }

  /** What the agent has now is what holds, and is told to the host. */
  #follow(): void {
    const config = this.offered.resolved();
    this.want(config.values);
    const published = JSON.stringify(config);
    if (published === this.#published) return;
    if (this.#published === '' && Object.keys(config.schema.properties).length === 0) return;
    this.#published = published;
    this.#host.config(config);
  }
}
