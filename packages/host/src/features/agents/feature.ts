import { invalidParam, type RootConfigState } from '@agenthost/protocol';
import { ChildProcesses } from '../../agents/child-processes.ts';
import { AgentError } from '../../agents/errors.ts';
import { KnownConfigs } from '../../agents/known-config.ts';
import type { AgentProvider, ChildRegistry } from '../../agents/provider.ts';
import { AgentRegistry } from '../../agents/registry.ts';
import { RememberedAgents } from '../../agents/remembered.ts';
import { StartProgress } from '../../agents/start-progress.ts';
import { defaultAgent } from '../../config/host-config.ts';
import type { JournalWrite } from '../../journal/journal.ts';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { AgentHealthList } from './health.ts';

/** The agents that sessions can use. Ends the agent processes that outlived an earlier host. */
export async function agentsFeature({
  sync,
  clock,
  timers,
  log,
  makeProviders,
  makeOthers,
}: {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  makeProviders(children: ChildRegistry): readonly AgentProvider[];
  /** Known agents that sessions cannot use. They are listed only. */
  makeOthers(children: ChildRegistry): readonly AgentProvider[];
}): Promise<
  Feature & {
    readonly agents: AgentRegistry;
    readonly remembered: RememberedAgents;
    readonly configs: KnownConfigs;
    readonly progress: StartProgress;
    /** Records processes of other parts of the host. */
    readonly children: ChildRegistry;
  }
> {
  const { journal } = sync;
  const commit = (rows: readonly JournalWrite[]): Promise<void> => sync.commitRows(rows);
  const children = new ChildProcesses({
    write: commit,
    listProcesses: () => journal.listProcesses(),
    readMeta: (key) => journal.readMeta(key),
    after: (delayMs, callback) => void timers.after(delayMs, callback),
    log: (level, message, fields) => log[level](fields, message),
  });
  await children.endOrphans();
  const providers = makeProviders(children);
  const ids = providers.map(({ id }) => id);
  const remembered = await RememberedAgents.load(journal, ids, commit);
  const config = (): RootConfigState | undefined => sync.root.state.config;
  const agents = new AgentRegistry(providers, remembered, () => defaultAgent(config()));
  const others = makeOthers(children);
  const health = new AgentHealthList({ agents, others, clock, timers });
  return {
    name: 'agents',
    commands: {
      'x-listAgents': async ({ refresh }) => ({ items: await health.list(refresh === true) }),
      'x-setAgentKey': async ({ provider, apiKey }) => {
        await setKey(agents.get(provider), apiKey);
        health.forget();
        return {};
      },
    },
    agents,
    children,
    remembered,
    configs: new KnownConfigs({ remembered, timers, log }),
    progress: new StartProgress(sync),
    stop: async () => {
      await agents.dispose();
      await Promise.all(others.map((provider) => provider.dispose()));
    },
  };
}

async function setKey(provider: AgentProvider, key: string): Promise<void> {
  if (provider.setKey === undefined)
    throw invalidParam(
      'provider',
      'expected an agent whose key the host keeps, such as one over a model API',
    );
  try {
    await provider.setKey(key);
  } catch (error) {
    if (error instanceof AgentError && error.errorType === 'invalidKey')
      throw invalidParam('apiKey', error.message);
    throw error;
  }
}
