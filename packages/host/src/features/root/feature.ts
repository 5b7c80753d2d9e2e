import type { AgentRegistry } from '../../agents/registry.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { rootModule } from './module.ts';
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
    observe: () => listing.onChange((tx, _uri, by) => changeSessionCount(tx, sync, by)),
    recover: () => openRoot(sync, agents, settings),
  };
}
