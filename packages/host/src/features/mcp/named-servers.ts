import { realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { Log } from '../../lib/log.ts';
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
  readonly log: Log;
  readonly session: string;
}

/** The servers of a session: those of the host, then those of the project, then those of plugins. Faults are logged. */
export async function namedServers(sources: Sources): Promise<readonly NamedServer[]> {
  const host = sources.hostEntries.map((entry) => ({
    id: `${ID.host}${entry.name}`,
    source: 'host' as const,
    prefix: entry.name,
    uri: entry.kind === 'stdio' ? `x-agenthost-config:/mcpServers/${entry.name}` : entry.url,
    entry,
  }));
  const own = [...host, ...(await projectServers(sources))];
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
  return withPrefixes(all);
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

async function projectServers({ folder, log, session }: Sources): Promise<readonly NamedServer[]> {
  const real = folder === '' ? undefined : await realpath(folder).catch(() => undefined);
  const project = real === undefined ? undefined : await readProjectFile(real);
  if (real === undefined || project === undefined) return [];
  for (const { name, problem } of project.faults) {
    const place = name === '' ? PROJECT_FILE : `${PROJECT_FILE}: ${name}`;
    log.warn({ session, folder: real }, `${place}: ${problem}`);
  }
  const uri = pathToFileURL(`${real}/${PROJECT_FILE}`).href;
  return project.entries.map((entry) => ({
    id: `${ID.project}${entry.name}`,
    source: 'project' as const,
    prefix: entry.name,
    uri,
    entry,
    place: folder,
  }));
}
