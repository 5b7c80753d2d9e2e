import type { Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { AgentError } from './errors.ts';
import type { AgentProvider, AgentSessionHost, ResolvedConfig } from './provider.ts';
import type { RememberedAgents } from './remembered.ts';

/** Time that creating a session waits for an agent whose config is not known yet. */
const INTRODUCTION_MS = 5_000;

const isEmpty = ({ schema }: ResolvedConfig): boolean => Object.keys(schema.properties).length === 0;

/** Finds the config of an agent before it has a session [ROOT-4]. */
export class KnownConfigs {
  readonly #remembered: RememberedAgents;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #introductions = new Map<string, Promise<void>>();

  constructor(parts: { remembered: RememberedAgents; timers: Timers; log: Log }) {
    this.#remembered = parts.remembered;
    this.#timers = parts.timers;
    this.#log = parts.log;
  }

  /**
   * Schema and values, including the `given` values: from the provider, or from the agent's last run. An
   * agent that has never run is asked by opening and closing a session. `undefined` if the agent has no
   * config.
   */
  async resolve(
    provider: AgentProvider,
    workingDirectory: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<ResolvedConfig | undefined> {
    const said = await provider.resolveConfig?.({ workingDirectory, values: given });
    if (said === undefined || !isEmpty(said)) return said;
    if (this.#remembered.config(provider.id) === undefined) await this.#introduce(provider, workingDirectory);
    const known = this.#remembered.config(provider.id);
    return known === undefined ? said : { schema: known.schema, values: { ...known.values, ...given } };
  }

  #introduce(provider: AgentProvider, workingDirectory: string): Promise<void> {
    const running = this.#introductions.get(provider.id);
    if (running !== undefined) return running;
    const introduction = this.#open(provider, workingDirectory).finally(() =>
      this.#introductions.delete(provider.id),
    );
    this.#introductions.set(provider.id, introduction);
    return introduction;
  }

  async #open(provider: AgentProvider, workingDirectory: string): Promise<void> {
    const abort = new AbortController();
    const late = Promise.withResolvers<void>();
    const cancel = this.#timers.after(INTRODUCTION_MS, () => {
      abort.abort();
      late.resolve();
    });
    const opening = this.#openAndClose(provider, workingDirectory, abort.signal).catch((error: unknown) => {
      // Creating the session will fail in the same way and report the error.
      this.#log.debug({ error, provider: provider.id }, 'could not get the config of an agent');
    });
    await Promise.race([opening, late.promise]);
    cancel();
  }

  async #openAndClose(provider: AgentProvider, workingDirectory: string, signal: AbortSignal): Promise<void> {
    const session = await provider.openSession(
      {
        session: 'introduction',
        chat: 'introduction',
        workingDirectory,
        config: {},
        memory: undefined,
        history: () => Promise.resolve([]),
        host: {
          ...SILENT_HOST,
          commands: (commands) => {
            this.#remembered.learnCommands(provider.id, commands).catch((error: unknown) => {
              this.#log.warn({ error, provider: provider.id }, 'could not store the commands of an agent');
            });
          },
        },
      },
      signal,
    );
    await this.#remembered.learn(provider, workingDirectory);
    await session.close();
  }
}

const SILENT_HOST: AgentSessionHost = {
  saveMemory: () => undefined,
  title: () => undefined,
  config: () => undefined,
  commands: () => undefined,
  terminal: () => Promise.reject(new AgentError('hostError', 'An introduction has no terminals')),
  clientTools: () => [],
  hostTools: () => [],
  isPrivate: () => Promise.resolve(true),
  privatePaths: () => Promise.resolve([]),
  ready: () => undefined,
  exited: () => undefined,
};
