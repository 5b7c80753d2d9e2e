// The page of a host with one real agent, which talks to the stand-in model.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { installAgents } from '../../scripts/install-agents.ts';
import { type PageStage, stageOfFile } from '../page/stage.ts';
import { removeFolder } from '../remove-folder.ts';
import { prepareLaunch } from './agent-launch.ts';
import { agentPackages } from './agent-packages.ts';
import { present } from './chat-reading.ts';
import { ModelProcess } from './model-process.ts';

/** The smallest download, and one that shows a change before it writes. */
export const AGENT = 'qwen';

const [installed] = await installAgents(agentPackages.filter(({ id }) => id === AGENT));
const command = installed?.command;
if (command === undefined)
  console.warn(`skipped: ${AGENT} is not installed: ${installed?.reason?.split('\n')[0]}`);

/** Whether the agent is installed. */
export const hasAgent = command !== undefined;

/** Starts the stage before the tests of a `describe`, and ends it, the model and the agent after them. `config`: further settings of the host. */
export function agentPage(config: object = {}): () => PageStage {
  let model: ModelProcess | undefined;
  let home: string | undefined;
  // Runs after the end of the host, which the next line registers.
  afterAll(async () => {
    await model?.stop();
    if (home !== undefined) await removeFolder(home);
  });
  return stageOfFile(async () => {
    model = await ModelProcess.start();
    home = await mkdtemp(join(tmpdir(), 'agenthost-agent-'));
    const launch = { command: present(command), ...(await prepareLaunch(AGENT, model.url, home)) };
    return { ...config, agents: { [AGENT]: launch } };
  });
}
