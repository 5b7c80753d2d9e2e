import { realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import { PROJECT_FILE, readProjectFile } from './project-file.ts';

/** Where a server is named: in the config of the host, by the project, or by a plugin. */
type McpSource = 'host' | 'project' | 'plugin';

/** Prefix of the ids of servers, by source. Those of plugins are ids of children of customizations. */
const ID = { host: 'mcp-host-', project: 'mcp-project-', plugin: 'mcpServer-' } as const;

/** Whether an id may be one of a server that this host runs. */
export const isHostsServer = (id: string): boolean =>
  Object.values(ID).some((prefix) => id.startsWith(prefix));

/** A server of a session before it runs. */
export interface NamedServer {
  readonly id: string;
  readonly source: McpSource;
  /** Name of the plugin. */
  readonly plugin?: string;
  /** First part of the names of its tools and prompts. */
  readonly prefix: string;
  readonly uri: string;
  readonly entry: McpServerEntry;
  /** Where the decision of a person holds without which it may not run: a folder or a plugin. Absent: it may run. */
  readonly place?: string;
  /** Absolute path of the plugin. */
  readonly root?: string;
}

/** The sources of the servers of one session. */
interface Sources {
  readonly hostEntries: readonly McpServerEntry[];
  /** Absolute path of the folder with `.mcp.json`; empty: it is not read. */
  readonly folder: string;
  readonly plugins: readonly PluginServer[];
}

/** The servers that a session has, and what is wrong with the file of its project: texts such as `.mcp.json: docs: url: expected …`. */
interface NamedServers {
  readonly servers: readonly NamedServer[];
  readonly faults: readonly string[];
}

/** The servers of a session: those of the host, then those of the project, then those of plugins. */
export async function namedServers(sources: Sources): Promise<NamedServers> {
  const host = sources.hostEntries.map((entry) => ({
    id: `${ID.host}${entry.name}`,
    source: 'host' as const,
    prefix: entry.name,
    uri: entry.kind === 'stdio' ? `x-agenthost-config:/mcpServers/${entry.name}` : entry.url,
    entry,
  }));
  const project = await projectServers(sources);
  const own = [...host, ...project.servers];
  const ids = new Set<string>();
  const plugins = sources.plugins.filter(({ id }) => !ids.has(id) && ids.add(id) !== undefined);
  const all: NamedServer[] = [
    ...own,
    ...plugins.map(({ place, isUsers, ...each }) => ({
      ...each,
      source: 'plugin' as const,
      prefix: each.entry.name,
      ...(isUsers ? {} : { place }),
    })),
  ];
  return { servers: withPrefixes(all), faults: project.faults };
}

/** Servers with the same name get different prefixes. The earlier one keeps its name. */
function withPrefixes(all: readonly NamedServer[]): NamedServer[] {
  const taken = new Set<string>();
  return all.map((each) => {
    const first = taken.has(each.prefix) ? `${each.plugin ?? each.source}_${each.prefix}` : each.prefix;
    let prefix = first;
    for (let count = 2; taken.has(prefix); count += 1) prefix = `${first}_${count}`;
    taken.add(prefix);
    return { ...each, prefix };
  });
}

async function projectServers({ folder }: Sources): Promise<NamedServers> {
  const real = folder === '' ? undefined : await realpath(folder).catch(() => undefined);
  const project = real === undefined ? undefined : await readProjectFile(real);
  if (real === undefined || project === undefined) return { servers: [], faults: [] };
  const faults = project.faults.map(
    ({ name, problem }) => `${name === '' ? PROJECT_FILE : `${PROJECT_FILE}: ${name}`}: ${problem}`,
  );
  const uri = pathToFileURL(`${real}/${PROJECT_FILE}`).href;
  const servers = project.entries.map((entry) => ({
    id: `${ID.project}${entry.name}`,
    source: 'project' as const,
    prefix: entry.name,
    uri,
    entry,
    place: folder,
  }));
  return { servers, faults };
}
