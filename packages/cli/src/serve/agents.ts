import {
  ACP_CATALOGUE,
  type AcpAgentConfig,
  type AcpProvider,
  AgentConfigError,
  createAcpProvider,
  createDemoProvider,
  DEMO_PROVIDER_ID,
  mergeAgentConfigs,
} from '@agenthost/agents';
import type { AgentFactory } from '@agenthost/host';
import type { ServeConfig } from './config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agents of one machine. */
export interface AgentChoice {
  /** Agents that a host offers: the installed ones, those of the config, and `demo`. */
  readonly factories: readonly AgentFactory[];
  /** The other known agents, whose command is missing. */
  readonly others: readonly AgentFactory[];
  /** Ids of `factories`, in their order. */
  readonly offered: readonly string[];
  /** Ids of those whose command is there. */
  readonly installed: readonly string[];
  /** Agent for sessions that name none. */
  readonly defaultAgent: string;
}

/** An agent as `agenthost agents` shows it. */
export interface AgentReport {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly available: boolean;
  readonly isDefault: boolean;
  readonly version?: string;
  /** Command line or location. */
  readonly source?: string;
  /** Why it is not available. */
  readonly reason?: string;
  /** Command that installs it, where it is not there. */
  readonly install?: string;
  /** Command that signs in to its service. */
  readonly signIn?: string;
}

/** Nothing is started by looking, so there is nothing to record. */
const noChildren = { record: async () => undefined, forget: () => undefined };

/**
 * Chooses the agents to offer. The default is the config's, else the only real agent whose command is there, else `demo`.
 * Throws `AgentConfigError` when the config names a default that is not offered.
 */
export function chooseAgents(config: ServeConfig, environment: Environment, file: string): AgentChoice {
  const agents = mergeAgentConfigs(ACP_CATALOGUE, config.agents, file);
  const named = new Set(config.agents.map(({ id }) => id));
  const installed = agents.filter((agent) => lookAt(agent, environment).isInstalled()).map(({ id }) => id);
  // One that the config names is offered even when its command is missing: who asks for it is told why it fails.
  const real = agents.filter(({ id }) => named.has(id) || installed.includes(id));
  const offered = [...real.map(({ id }) => id), DEMO_PROVIDER_ID];
  const onlyReal = installed.length === 1 ? installed[0] : undefined;
  const defaultAgent = config.defaultAgent ?? onlyReal ?? DEMO_PROVIDER_ID;
  if (!offered.includes(defaultAgent)) {
    throw new AgentConfigError(
      `${file}: defaultAgent: expected one of ${offered.join(', ')}, got ${JSON.stringify(defaultAgent)}`,
    );
  }
  const make =
    (agent: AcpAgentConfig): AgentFactory =>
    ({ children, log, timers }) =>
      createAcpProvider(agent, {
        childRegistry: children,
        timers,
        environment,
        log: (level, message, fields) => log[level]({ agent: agent.id, ...fields }, message),
      });
  return {
    factories: [...real.map(make), () => createDemoProvider()],
    others: agents.filter((agent) => !real.includes(agent)).map(make),
    offered,
    installed,
    defaultAgent,
  };
}

/** State of each known agent on this machine. May run `<command> --version`. */
export async function reportAgents(
  config: ServeConfig,
  environment: Environment,
  file: string,
): Promise<AgentReport[]> {
  const { defaultAgent } = chooseAgents(config, environment, file);
  const providers = [
    ...mergeAgentConfigs(ACP_CATALOGUE, config.agents, file).map((agent) => lookAt(agent, environment)),
    createDemoProvider(),
  ];
  return Promise.all(
    providers.map(async (provider): Promise<AgentReport> => {
      const { displayName, description } = provider.describe();
      const { id } = provider;
      const availability = await provider.availability();
      return { id, displayName, description, isDefault: id === defaultAgent, ...availability };
    }),
  );
}

const lookAt = (agent: AcpAgentConfig, environment: Environment): AcpProvider =>
  createAcpProvider(agent, { childRegistry: noChildren, environment });
