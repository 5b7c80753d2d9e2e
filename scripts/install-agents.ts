// Installs the third-party agents of test/agents into .agents/, which git ignores: `node scripts/install-agents.ts [id …]`.
// Keeps agents that are installed in the pinned version.
import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type AgentPackage, agentPackages } from '../test/agents/agent-packages.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..', '.agents');

const ATTEMPT_COUNT = 3;
/** Timeout of one install. The largest takes half a minute. */
const timeoutMs = 180_000;
/** Two installs keep the network busy; more would compete for the disk. */
const CONCURRENCY = 2;

/** Result of one agent's installation. */
export interface InstalledAgent {
  readonly agent: AgentPackage;
  /** Path of the program. Absent: the installation failed. */
  readonly command?: string;
  /** Reason of the failure. */
  readonly reason?: string;
  /** 0 when the agent was installed already. */
  readonly tookMs: number;
}

/** Path of an installed agent's program. */
export function agentCommand(agent: AgentPackage): string {
  return join(folder, agent.id, 'node_modules', '.bin', agent.bin);
}

async function isInstalled(agent: AgentPackage): Promise<boolean> {
  try {
    await access(agentCommand(agent));
    // Written last, so that an interrupted install does not count.
    return (await readFile(join(folder, agent.id, 'installed'), 'utf8')) === agent.version;
  } catch {
    return false;
  }
}

async function install(agent: AgentPackage): Promise<void> {
  const home = join(folder, agent.id);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { [agent.packageName]: agent.version },
    // Some packages download the program of the platform in an install script.
    allowScripts: { [agent.packageName]: true },
  };
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest, null, 2));
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], {
    cwd: home,
    timeout: timeoutMs,
  });
  await access(agentCommand(agent));
  await writeFile(join(home, 'installed'), agent.version);
}

async function ensure(agent: AgentPackage): Promise<InstalledAgent> {
  if (await isInstalled(agent)) return { agent, command: agentCommand(agent), tookMs: 0 };
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  let reason = '';
  for (let attempt = 1; attempt <= ATTEMPT_COUNT; attempt += 1) {
    try {
      await install(agent);
      return { agent, command: agentCommand(agent), tookMs: took() };
    } catch (cause) {
      reason = cause instanceof Error ? cause.message : String(cause);
    }
  }
  return { agent, reason: `${ATTEMPT_COUNT} attempts failed, the last with: ${reason}`, tookMs: took() };
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
