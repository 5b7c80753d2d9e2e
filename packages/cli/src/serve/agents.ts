import {
  ACP_CATALOGUE,
  type AcpAgentConfig,
  type AcpProvider,
  AgentConfigError,
  createAcpProvider,
  createDemoProvider,
  createModelProvider,
  DEMO_PROVIDER_ID,
  type ModelAgentConfig,
  mergeAgentConfigs,
} from '@agenthost/agents';
import type { AgentFactory } from '@agenthost/host';
import { defined } from '@agenthost/protocol/values';
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
 * @param keyFolder Folder of the keys of model agents. Default: none.
 */
export function chooseAgents(
  config: ServeConfig,
  environment: Environment,
  file: string,
  keyFolder?: string,
): AgentChoice {
  const agents = commandAgents(config, file);
  const named = new Set(config.agents.map(({ id }) => id));
  const installed = agents.filter((agent) => lookAt(agent, environment).isInstalled()).map(({ id }) => id);
  // One that the config names is offered even when its command is missing: who asks for it is told why it fails.
  const real = agents.filter(({ id }) => named.has(id) || installed.includes(id));
  const { modelAgents = [] } = config;
  const offered = [...real, ...modelAgents].map(({ id }) => id).concat(DEMO_PROVIDER_ID);
  const usable = [...installed, ...modelAgents.map(({ id }) => id)];
  const onlyReal = usable.length === 1 ? usable[0] : undefined;
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
    factories: [
      ...real.map(make),
      ...modelAgents.map(
        (agent): AgentFactory =>
          ({ timers }) =>
            createModelProvider(agent, { timers, environment, keyFolder, listsModels: true }),
      ),
      () => createDemoProvider(),
    ],
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
  keyFolder?: string,
): Promise<AgentReport[]> {
  const { defaultAgent } = chooseAgents(config, environment, file);
  const providers = [
    ...commandAgents(config, file).map((agent) => lookAt(agent, environment)),
    ...(config.modelAgents ?? []).map((agent) => lookAtModel(agent, environment, keyFolder)),
    createDemoProvider(),
  ];
  return Promise.all(
    providers.map(async (provider): Promise<AgentReport> => {
      const { displayName, description } = provider.describe();
      const { id } = provider;
      const { failure, ...availability } = await provider.availability();
      const isDefault = id === defaultAgent;
      return {
        id,
        displayName,
        description,
        isDefault,
        ...availability,
        ...defined({ reason: availability.reason ?? failure }),
      };
    }),
  );
}

/** The agents that are commands. A model agent with the id of a known one replaces it. */
function commandAgents(config: ServeConfig, file: string): AcpAgentConfig[] {
  const taken = new Set(config.modelAgents?.map(({ id }) => id));
  if (taken.has(DEMO_PROVIDER_ID))
    throw new AgentConfigError(
      `${file}: agents.${DEMO_PROVIDER_ID}: expected another id, this agent is built in`,
    );
  return mergeAgentConfigs(ACP_CATALOGUE, config.agents, file).filter(({ id }) => !taken.has(id));
}

const lookAt = (agent: AcpAgentConfig, environment: Environment): AcpProvider =>
  createAcpProvider(agent, { childRegistry: noChildren, environment });

const lookAtModel = (agent: ModelAgentConfig, environment: Environment, keyFolder: string | undefined) =>
  createModelProvider(agent, { environment, keyFolder, timers: processTimers });

const processTimers = {
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
