// Installs the third-party agents of test/agents into .agents/, which git ignores: `node scripts/install-agents.ts [id …]`.
// Keeps agents that are installed in the pinned version.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentPackage, agentPackages } from '../test/agents/agent-packages.ts';
import { ensureInstalled, type Installation } from './install-package.ts';

const folder = join(import.meta.dirname, '..', '.agents');

/** Timeout of one install. The largest takes half a minute. */
const timeoutMs = 180_000;
/** Two installs keep the network busy; more would compete for the disk. */
const CONCURRENCY = 2;

/** Result of one agent's installation. */
export interface InstalledAgent extends Installation {
  readonly agent: AgentPackage;
}

async function ensure(agent: AgentPackage): Promise<InstalledAgent> {
  return { agent, ...(await ensureInstalled(agent, join(folder, agent.id), timeoutMs)) };
}

/** Installs missing agents, two at a time, with retries. Does not reject when an agent fails: its result has the reason. */
export async function installAgents(wanted: readonly AgentPackage[]): Promise<InstalledAgent[]> {
  const queue = [...wanted];
  const results: InstalledAgent[] = [];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) results.push(await ensure(next));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const ids = process.argv.slice(2);
  const results = await installAgents(agentPackages.filter(({ id }) => ids.length === 0 || ids.includes(id)));
  for (const { agent, command, reason, tookMs } of results) {
    process.stdout.write(`${agent.id} ${agent.version}: ${reason ?? command} (${tookMs} ms)\n`);
  }
  process.exitCode = results.every(({ command }) => command) ? 0 : 1;
}
