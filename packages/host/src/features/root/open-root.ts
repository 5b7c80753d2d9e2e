import { ROOT_URI, type RootConfigState } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type HostConfigParts, hostConfig } from '../../config/host-config.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/**
 * Loads or creates the root channel and brings its agents and its config up to date. Rejects when a fixed value of the config does not
 * fit.
 */
export async function openRoot(
  sync: Sync,
  agents: AgentRegistry,
  { hostBuild, ...settings }: { hostBuild: string } & Omit<HostConfigParts, 'agents' | 'before'>,
): Promise<void> {
  const present = await sync.registry.openOf('root', ROOT_URI);
  // Before anything is written: what does not fit keeps the host from starting.
  const config = hostConfig({ ...settings, agents: agents.ids, before: present?.state.config });
  if (present === undefined) {
    sync.transact('host', (tx) =>
      sync.registry.create(
        tx,
        {
          uri: ROOT_URI,
          kind: 'root',
          state: {
            agents: agents.describe(),
            activeSessions: 0,
            terminals: [],
            config,
            _meta: { hostBuild },
          },
          hostData: {},
        },
        sync.emittedSeq,
      ),
    );
  }
  adoptConfig(sync, config);
  // Nobody is there yet, and no action says it: it only has to be right for those who come.
  const { root } = sync;
  if (root.state._meta?.['hostBuild'] !== hostBuild) {
    sync.transact('host', (tx) => {
      tx.setWindow(root, { ...root.state, _meta: { ...root.state._meta, hostBuild } });
      sync.registry.writeSnapshot(tx, root);
    });
  }
  const update = (): void => {
    const described = agents.describe();
    if (sameJson(described, sync.root.state.agents)) return;
    sync.transact('host', (tx) => tx.emit(sync.root, { type: 'root/agentsChanged', agents: described }));
  };
  update();
  agents.onChanged(update);
}

/** Makes a config the root's. What it consists of is no action's to say: clients that knew another come back to a snapshot. */
function adoptConfig(sync: Sync, config: RootConfigState): void {
  const { root } = sync;
  const { state } = root;
  const isSame = (key: keyof RootConfigState): boolean => sameJson(state.config?.[key], config[key]);
  if (isSame('schema') && isSame('values')) return;
  sync.transact('host', (tx) => {
    if (isSame('schema')) {
      tx.emit(root, { type: 'root/configChanged', config: config.values, replace: true });
      return;
    }
    tx.setWindow(root, { ...state, config });
    tx.setHostData(root, { ...root.hostData, bornSeq: sync.emittedSeq });
    sync.registry.writeSnapshot(tx, root);
  });
}

/** Announces how many sessions there are now. */
export function changeSessionCount(tx: Tx, sync: Sync, by: number): void {
  const activeSessions = Math.max(0, (sync.root.state.activeSessions ?? 0) + by);
  tx.emit(sync.root, { type: 'root/activeSessionsChanged', activeSessions });
}
