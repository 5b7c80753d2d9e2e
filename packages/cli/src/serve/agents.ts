import {
  ACP_CATALOGUE,
  type AcpAgentConfig,
  type AcpProvider,
  AgentConfigError,
  createAcpProvider,
  createDemoProvider,
  createModelProvider,
  createPackageProvider,
  DEMO_PROVIDER_ID,
  KNOWN_PACKAGES,
  lookAtPackage,
  type ModelAgentConfig,
  mergeAgentConfigs,
  type PackageEntry,
} from '@agenthost/agents';
import type { AgentFactory } from '@agenthost/host';
import type { AgentProvider } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';
import type { ServeConfig } from './config.ts';
import { ownCommand, ownInstall, packageFolders, packageInstall } from './own-agents.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agents of one machine. */
export interface AgentChoice {
  /** Agents that a host offers: the installed ones, those of the config, and `demo`. */
  readonly factories: readonly AgentFactory[];
  /** The other known agents, whose command is missing. */
  readonly others: readonly AgentFactory[];
  /** Ids of `factories`, in their order. */
  readonly offered: readonly string[];
  /** Ids of those that are there: the command, the package, or a model agent. */
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
  /** Package that the host imports. Absent: the agent is a program, or built in. */
  readonly package?: string;
}

/** Where the agents of a machine come from. */
export interface AgentPlaces {
  readonly environment: Environment;
  /** Absolute path of the config file; need not exist. */
  readonly file: string;
  /** The host's data folder. */
  readonly dataDir: string;
  /** Folder of the keys of model agents. Absent: none are stored. */
  readonly keyFolder?: string;
}

/** Nothing is started by looking, so there is nothing to record. */
const noChildren = { record: async () => undefined, forget: () => undefined };

/**
 * Chooses the agents to offer. The default is the config's, else the only real agent whose command is there, else `demo`.
 * Throws `AgentConfigError` when the config names a default that is not offered.
 */
export function chooseAgents(config: ServeConfig, places: AgentPlaces): AgentChoice {
  const { environment, file } = places;
  const { programs, packages, models } = knownAgents(config, file);
  const named = new Set(config.agents.map(({ id }) => id));
  const installedPrograms = programs.filter((agent) => lookAt(agent, places).isInstalled());
  const usablePackages = packages.filter((entry) => lookInto(entry, places).available);
  const installed = [...installedPrograms, ...usablePackages, ...models].map(({ id }) => id);
  // One that the config names is offered even when its command is missing: who asks for it is told why it fails.
  const real = programs.filter(({ id }) => named.has(id) || installed.includes(id));
  const offered = [...real, ...packages, ...models].map(({ id }) => id).concat(DEMO_PROVIDER_ID);
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
        ...defined({ ownCommand: ownCommand(places.dataDir, agent) }),
      });
  const load =
    (entry: PackageEntry): AgentFactory =>
    ({ children, log, timers }) =>
      createPackageProvider(entry, {
        ...packagePlaces(entry, places),
        children,
        timers,
        log: (level, message, fields) => log[level]({ agent: entry.id, ...fields }, message),
      });
  const connect =
    (agent: ModelAgentConfig): AgentFactory =>
    ({ timers }) =>
      createModelProvider(agent, { timers, environment, keyFolder: places.keyFolder, listsModels: true });
  return {
    factories: [...real.map(make), ...packages.map(load), ...models.map(connect), () => createDemoProvider()],
    others: programs.filter((agent) => !real.includes(agent)).map(make),
    offered,
    installed,
    defaultAgent,
  };
}

/** State of each known agent on this machine. May run `<command> --version`; imports no package. */
export async function reportAgents(config: ServeConfig, places: AgentPlaces): Promise<AgentReport[]> {
  const { defaultAgent } = chooseAgents(config, places);
  const { programs, packages, models } = knownAgents(config, places.file);
  const isDefault = (id: string): boolean => id === defaultAgent;
  const report = async (provider: AgentProvider): Promise<AgentReport> => {
    const { displayName, description } = provider.describe();
    const { id } = provider;
    const { failure, ...availability } = await provider.availability();
    const reason = availability.reason ?? failure;
    return {
      id,
      displayName,
      description,
      isDefault: isDefault(id),
      ...availability,
      ...defined({ reason }),
    };
  };
  return Promise.all([
    ...programs.map((agent) => report(lookAt(agent, places))),
    ...packages.map(async (entry): Promise<AgentReport> => {
      const { id, displayName = id } = entry;
      const found = lookInto(entry, places);
      return { id, displayName, description: '', isDefault: isDefault(id), package: entry.package, ...found };
    }),
    ...models.map((agent) => report(lookAtModel(agent, places))),
    report(createDemoProvider()),
  ]);
}

/** The known agents, each with the command of this program that installs it. */
const installable = (): AcpAgentConfig[] =>
  ACP_CATALOGUE.map((agent) =>
    KNOWN_PACKAGES[agent.id] === undefined ? agent : { ...agent, install: ownInstall(agent.id) },
  );

/** All agents that are not hidden. A package or a model agent replaces the known agent of the same id. */
function knownAgents(
  { agents, packages = [], modelAgents: models = [] }: ServeConfig,
  file: string,
): {
  readonly programs: readonly AcpAgentConfig[];
  readonly packages: readonly PackageEntry[];
  readonly models: readonly ModelAgentConfig[];
} {
  const replaced = new Set([...packages, ...models].map(({ id }) => id));
  return {
    programs: mergeAgentConfigs(installable(), agents, file).filter(({ id }) => !replaced.has(id)),
    packages: packages.filter(({ enabled }) => enabled !== false),
    models,
  };
}

const packagePlaces = ({ id, package: name }: PackageEntry, { file, dataDir }: AgentPlaces) => ({
  folders: packageFolders(file, dataDir, id),
  ...defined({ install: packageInstall(id, name) }),
});

const lookInto = (entry: PackageEntry, places: AgentPlaces) =>
  lookAtPackage(entry, packagePlaces(entry, places));

const lookAt = (agent: AcpAgentConfig, { environment, dataDir }: AgentPlaces): AcpProvider =>
  createAcpProvider(agent, {
    childRegistry: noChildren,
    environment,
    ...defined({ ownCommand: ownCommand(dataDir, agent) }),
  });

const lookAtModel = (agent: ModelAgentConfig, { environment, keyFolder }: AgentPlaces) =>
  createModelProvider(agent, { environment, keyFolder, timers: processTimers });

const processTimers = {
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
