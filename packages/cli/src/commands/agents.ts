import { type AgentInfo, ROOT_URI } from '@agenthost/protocol';
import { withHost } from '../connect.ts';
import type { Context } from '../context.ts';
import { readHosts } from '../discovery.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { HostOptions } from '../find-host.ts';
import { hostsFolder } from '../folders.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { configFileOf } from './serve.ts';

/** Options of `agents` as parsed. */
export interface AgentsOptions extends HostOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** One agent, as far as it is known from here. */
interface AgentEntry {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly available: boolean;
  /** Default of the config on this machine. */
  readonly isDefault?: boolean;
  readonly version?: string;
  readonly source?: string;
  readonly reason?: string;
  /** Models that the host knows of, once it has asked the agent. */
  readonly models?: readonly string[];
}

/**
 * `agents`: which agents there are and why others are not. Looks at this machine and asks its host, if one runs; with
 * `--url`, the host alone.
 */
export async function agents(context: Context, screen: Screen, options: AgentsOptions): Promise<ExitCode> {
  const isElsewhere = options.url !== undefined;
  const hasHost = isElsewhere || options.start === true || (await readHosts(hostsFolder(context))).length > 0;
  const offered = hasHost ? await offeredByHost(context, screen, options) : undefined;
  const entries = isElsewhere
    ? (offered ?? []).map(entryOf)
    : merge(await lookHere(context, screen, options.config), offered);
  for (const entry of entries) {
    if (options.json === true) screen.json(entry);
    else show(screen, entry);
  }
  if (options.json !== true && offered === undefined) {
    screen.note(screen.colors.dim('no host is running; this is what `agenthost serve` would find'));
  }
  return EXIT.done;
}

async function offeredByHost(
  context: Context,
  screen: Screen,
  options: HostOptions,
): Promise<readonly AgentInfo[]> {
  return withHost(context, screen, options, async ({ client }) => {
    const root = await client.subscribe(ROOT_URI);
    return root.state.agents;
  });
}

async function lookHere(
  context: Context,
  screen: Screen,
  config: string | undefined,
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
      return await reportAgents(await readConfig(file, isRequired), context.env, file);
    } catch (cause) {
      throw explainConfig(cause);
    }
  } finally {
    screen.status(undefined);
  }
}

const entryOf = ({ provider, displayName, description, models }: AgentInfo): AgentEntry => ({
  id: provider,
  displayName,
  description,
  available: true,
  models: models.map(({ id }) => id),
});

/** What was found here, and what the host says besides. One that came after the host's start is not offered by it yet. */
function merge(here: readonly AgentEntry[], offered: readonly AgentInfo[] | undefined): AgentEntry[] {
  if (offered === undefined) return [...here];
  const byId = new Map(offered.map((agent) => [agent.provider, entryOf(agent)]));
  const known = here.map((entry) => {
    const atHost = byId.get(entry.id);
    if (atHost !== undefined)
      return { ...entry, ...(entry.available ? { models: atHost.models ?? [] } : {}) };
    if (!entry.available) return entry;
    return { ...entry, available: false, reason: 'the host was started before it was there: start it again' };
  });
  const others = [...byId.values()].filter(({ id }) => !here.some((entry) => entry.id === id));
  return [...known, ...others];
}

function show(screen: Screen, entry: AgentEntry): void {
  const { marks, outColors: colors } = screen;
  const mark = entry.available ? colors.green(marks.done) : colors.dim(marks.failed);
  const name = [entry.displayName, entry.version ?? ''].join(' ').trim();
  const detail = entry.available ? (entry.source ?? entry.description) : (entry.reason ?? 'not available');
  const suffix = entry.isDefault === true ? '  (default)' : '';
  screen.line(
    `${mark} ${oneLine(entry.id).padEnd(10)}  ${oneLine(name).padEnd(24)}  ${oneLine(detail)}${suffix}`,
  );
}
