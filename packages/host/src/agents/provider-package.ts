import type { AgentProvider, ChildRegistry } from './provider.ts';

/**
 * The exports of a package that brings an agent. The config file names the package, and the host imports it into its own process at its start.
 *
 * @example
 * export const createProvider: ProviderPackage['createProvider'] = ({ id, settings }) => new EchoProvider(id, settings);
 */
export interface ProviderPackage {
  /** Called once for each entry of the config file. A rejection, or a provider of another id, makes the agent unusable and is shown to people. */
  createProvider(start: ProviderStart): AgentProvider | Promise<AgentProvider>;
}

/** What a package gets from the host. */
export interface ProviderStart {
  /** Id of the entry in the config file. The provider must have the same. */
  readonly id: string;
  /** `settings` of the entry, unchecked. Empty if the entry has none. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Records started processes, so that none outlives a killed host. */
  readonly children: ChildRegistry;
  /** Writes a line to the host's log. */
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Readonly<Record<string, unknown>>): void;
}
