import { CHANNEL_LIMITS, type RootConfigState, weightOf } from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import { findHostConfigFault, missingDefaults } from '../../config/host-config.ts';
import {
  type ChannelModule,
  type Rejection,
  rejectKey,
  rejectSize,
} from '../../handler-port/channel-module.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { changeSessionCount, openRoot } from './open-root.ts';

/** The root channel: agents, number of sessions, config of the host [ROOT-1] [ROOT-5]. */
export function rootFeature({
  sync,
  agents,
  listing,
  settings,
}: {
  readonly sync: Sync;
  readonly agents: AgentRegistry;
  readonly listing: SessionListing;
  readonly settings: Parameters<typeof openRoot>[2];
}): Feature {
  return {
    name: 'root',
    channel: { root: rootModule() },
    observe: () => listing.onList((tx, _uri, by) => changeSessionCount(tx, sync, by)),
    recover: () => openRoot(sync, agents, settings),
  };
}

/** Plans actions of clients on the root channel: changes of the host's config [ROOT-5]. */
function rootModule(): ChannelModule<'root'> {
  return {
    plan: (root, action) => {
      if (action.type !== 'root/configChanged' || root.state.config === undefined) return { action };
      return (
        checkChange(root.state.config, action) ?? {
          action,
          after: (tx) => {
            if (root.state.config === undefined) return;
            const config = missingDefaults(root.state.config);
            if (Object.keys(config).length > 0) tx.emit(root, { type: 'root/configChanged', config });
          },
        }
      );
    },
  };
}

function checkChange(
  { schema, values }: RootConfigState,
  { config, replace = false }: { config: Record<string, unknown>; replace?: boolean },
): Rejection | undefined {
  const fault = findHostConfigFault(schema, config);
  if (fault !== undefined) return rejectKey('invalidConfig', fault.key, fault.problem);
  const { configLength } = CHANNEL_LIMITS;
  const length = weightOf(replace ? config : { ...values, ...config });
  if (length > configLength.max) return rejectSize('config', configLength, length);
  const isReadOnly = (key: string): boolean => schema.properties[key]?.readOnly === true;
  const touched = Object.keys(config).find(
    (key) => isReadOnly(key) && !(replace && config[key] === values[key]),
  );
  if (touched !== undefined) return rejectKey('readOnly', touched, 'fixed when the host was started');
  const dropped = replace
    ? Object.keys(values).find((key) => isReadOnly(key) && !Object.hasOwn(config, key))
    : undefined;
  return dropped === undefined
    ? undefined
    : rejectKey('readOnly', dropped, 'fixed when the host was started; a replacement must keep it');
}
