import type { AhpClient } from '@agenthost/client';
import { RpcError } from '@agenthost/client';
import { type AgentHealth, type AgentInfo, ErrorCodes, ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import { readHosts } from '../host-link/discovery.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { modelNames } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { hostsFolder, keyFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';
import { configFileOf } from './serve.ts';

/** Options of `agents` as parsed. */
export interface AgentsOptions extends HostOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** One agent, as this command knows it. */
interface AgentEntry {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly available: boolean;
  /** Whether sessions that name no agent get it. */
  readonly isDefault?: boolean;
  readonly version?: string;
  readonly source?: string;
  readonly reason?: string;
  /** Command that installs it, where it is not there. */
  readonly install?: string;
  /** Command that signs in to its service. */
  readonly signIn?: string;
  /** Package that a host imports at its start. */
  readonly package?: string;
  /** Models that the host knows of, once it has asked the agent. */
  readonly models?: readonly string[];
}

/**
 * `agents`: which agents there are and why others are not. Looks at this machine and asks its host, if one runs; with
 * `--url` only those that this host offers.
 */
export async function agents(context: Context, screen: Screen, options: AgentsOptions): Promise<ExitCode> {
  const isElsewhere = options.url !== undefined || options.host !== undefined;
  if (isElsewhere && options.config !== undefined) {
    throw usageError(
      '--config applies to this machine, --host and --url (or AGENTHOST_URL) to one host: use one of them',
    );
  }
  const hasHost = isElsewhere || options.start === true || (await readHosts(hostsFolder(context))).length > 0;
  const offered = hasHost ? await offeredByHost(context, screen, options) : undefined;
  const here = isElsewhere && offered?.isOwn !== true ? [] : await lookHere(context, screen, options);
  const all = merge(here, offered);
  const entries = isElsewhere ? ofHost(all, offered?.agents ?? []) : all;
  if (options.json !== true && entries.length > 0) screen.columnNames(COLUMNS);
  for (const entry of entries) {
    if (options.json === true) screen.json(entry);
    else show(screen, entry);
  }
  if (options.json !== true && offered === undefined) {
    screen.note(
      screen.colors.dim(`no host is running; \`${commandLine('serve')}\` would offer these agents`),
    );
  }
  return EXIT.done;
}

/** The agents of a host. */
interface Offered {
  readonly agents: readonly AgentInfo[];
  /** Empty: the host does not report agents. */
  readonly health: readonly AgentHealth[];
  readonly isOwn: boolean;
}

async function offeredByHost(context: Context, screen: Screen, options: HostOptions): Promise<Offered> {
  return withHost(context, screen, options, async ({ client, target }) => {
    const root = await client.subscribe(ROOT_URI);
    return { agents: root.state.agents, health: await healthOf(client), isOwn: target.isOwn };
  });
}

/** Hosts of other makers do not know the method. */
async function healthOf(client: AhpClient): Promise<readonly AgentHealth[]> {
  try {
    return await client.agentHealth({ refresh: true });
  } catch (error) {
    if (error instanceof RpcError && error.code === ErrorCodes.MethodNotFound) return [];
    throw error;
  }
}

/** The agents that the host offers. If the host reports no default and has one agent, this agent is the default. */
function ofHost(entries: readonly AgentEntry[], offered: readonly AgentInfo[]): AgentEntry[] {
  const ids = new Set(offered.map(({ provider }) => provider));
  const kept = entries.filter(({ id }) => ids.has(id));
  return kept.length === 1 ? kept.map((entry) => ({ ...entry, isDefault: true })) : kept;
}

async function lookHere(
  context: Context,
  screen: Screen,
  { config, data }: AgentsOptions,
): Promise<readonly AgentEntry[]> {
  screen.status('looking for agents');
  try {
    const [{ readConfig }, { reportAgents }, { explainConfig }] = await Promise.all([
      import('../serve/config.ts'),
      import('../serve/agents.ts'),
      import('../serve/explain.ts'),
    ]);
    const { file, isRequired } = configFileOf(context, config);
    try {
      return await reportAgents(await readConfig(file, isRequired), {
        environment: context.env,
        file,
        dataDir: dataDirOf(context, data),
        keyFolder: keyFolder(context),
      });
    } catch (cause) {
      throw explainConfig(cause);
    }
  } finally {
    screen.status(undefined);
  }
}

const entryOf = (
  { provider, displayName, description, models }: AgentInfo,
  health: AgentHealth | undefined,
): AgentEntry => ({
  id: provider,
  displayName,
  description,
  ...ofHealth(health),
  models: models.map(({ id }) => id),
});

/** The host's report of an agent. An agent that failed can be used again. */
const ofHealth = (health: AgentHealth | undefined) => ({
  available: health?.state !== 'missing',
  ...defined({
    isDefault: health?.isDefault === true ? true : undefined,
    version: health?.version,
    reason: health?.problem,
    install: health?.installCommand,
    signIn: health?.signInCommand,
  }),
});

/** Merges the agents found here with those of the host. An agent that was installed or configured after the start of the host is not offered. */
function merge(here: readonly AgentEntry[], offered: Offered | undefined): AgentEntry[] {
  if (offered === undefined) return [...here];
  const health = new Map(offered.health.map((item) => [item.provider, item]));
  const byId = new Map(
    offered.agents.map((agent) => [agent.provider, entryOf(agent, health.get(agent.provider))]),
  );
  const known = here.map((entry) => {
    const atHost = byId.get(entry.id);
    if (atHost !== undefined) {
      const { models = [], reason } = atHost;
      return { ...entry, ...(entry.available ? { models, ...defined({ reason }) } : {}) };
    }
    if (!entry.available) return entry;
    return { ...entry, available: false, reason: 'added after the start of the host: restart the host' };
  });
  const others = [...byId.values()].filter(({ id }) => !here.some((entry) => entry.id === id));
  return [...known, ...others];
}

/** Where the agent comes from. Says of a package which module a host imports. */
const shownSource = ({ package: name, source }: AgentEntry): string | undefined =>
  name === undefined || source === undefined ? source : `a package: imports ${source}`;

const COLUMNS = `  ${'ID'.padEnd(10)}  ${'NAME'.padEnd(24)}  DETAIL`;

function show(screen: Screen, entry: AgentEntry): void {
  const { marks, outColors: colors } = screen;
  const hasFailed = entry.available && entry.reason !== undefined;
  const mark = hasFailed
    ? colors.yellow('!')
    : entry.available
      ? colors.green(marks.done)
      : colors.dim(marks.failed);
  const name = [entry.displayName, entry.version ?? ''].join(' ').trim();
  const detail =
    entry.reason ?? (entry.available ? (shownSource(entry) ?? entry.description) : 'not available');
  const suffix = entry.isDefault === true ? '  (default)' : '';
  const line = `${mark} ${oneLine(entry.id).padEnd(10)}  ${oneLine(name).padEnd(24)}  ${oneLine(detail)}${suffix}`;
  screen.line(line.trimEnd());
  const models = modelNames(entry.models ?? []);
  if (models !== '') screen.line(`${' '.repeat(14)}models: ${models}`);
  if (!entry.available && entry.install !== undefined)
    screen.line(`${' '.repeat(14)}install: ${oneLine(entry.install)}`);
  else if (hasFailed && entry.signIn !== undefined)
    screen.line(`${' '.repeat(14)}sign in: ${oneLine(entry.signIn)}`);
}
