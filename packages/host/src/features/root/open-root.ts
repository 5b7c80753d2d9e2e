import { ROOT_URI, type RootConfigState } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type HostConfigParts, hostConfig } from '../../config/host-config.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/**
 * Loads or creates the root channel and updates its agents and config. Rejects if a fixed config value is
 * invalid.
 */
export async function openRoot(
  sync: Sync,
  agents: AgentRegistry,
  {
    hostBuild,
    ...settings
  }: { hostBuild: string } & Omit<HostConfigParts, 'agents' | 'agentNames' | 'before'>,
): Promise<void> {
  const present = await sync.registry.openOf('root', ROOT_URI);
  // Checked before anything is written: an invalid value prevents the start.
  const described = agents.describe();
  const config = hostConfig({
    ...settings,
    agents: agents.ids,
    agentNames: described.map(({ displayName }) => displayName),
    before: present?.state.config,
  });
  if (present === undefined) {
    sync.transact('host', (tx) =>
      sync.registry.create(
        tx,
        {
          uri: ROOT_URI,
          kind: 'root',
          state: {
            agents: described,
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
  // No client is connected yet, so no action is needed.
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

/**
 * Sets the root's config. No action changes a schema, so clients that have another one get a snapshot when
 * they return.
 */
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

/** Notifies clients of the number of sessions. */
export function changeSessionCount(tx: Tx, sync: Sync, by: number): void {
  const activeSessions = Math.max(0, (sync.root.state.activeSessions ?? 0) + by);
  tx.emit(sync.root, { type: 'root/activeSessionsChanged', activeSessions });
}
