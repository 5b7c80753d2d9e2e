import type { AgentSessionHost } from '@agenthost/host/agent';
import type { JsonObject } from '../json.ts';
import type { AcpConnection } from '../process/connection.ts';
import type { AcpLog } from '../runtime.ts';
import type { SessionUpdate } from '../session/session-update.ts';
import { AgentSessionConfig, type ConfigChange } from './session-config.ts';

/** Sends requests of an attached session. */
export interface ConfigTarget {
  readonly connection: AcpConnection;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Synchronizes the config of an agent's session with the values that the host wants, in both directions. */
export class ConfigControl {
  readonly offered = new AgentSessionConfig();
  readonly #host: AgentSessionHost;
  readonly #log: AcpLog;
  /** Set by the host; follows changes that the agent makes itself. */
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

  /** The agent has changed a value itself. */
  take(update: Extract<SessionUpdate, { type: 'mode' | 'configOptions' }>): void {
    if (update.type === 'mode') this.offered.setMode(update.modeId);
    else this.offered.setOptions(update.options);
    this.#follow();
  }

  /**
   * Sends the wanted values to the agent. Values that it refuses stay as they are and are logged. Rejects
   * when the connection is closed.
   */
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

  /**
   * Selects the model of the next prompt. Resolves with whether the agent has it. Rejects with the agent's
   * error.
   */
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

  /** The agent's present values become the wanted ones and are reported to the host. */
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
