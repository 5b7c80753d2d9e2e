import { sameJson } from '@agenthost/protocol/values';
import { defaultApprovals } from '../../config/host-config.ts';
import { metadataOf, upgraded } from '../../config/session-keys.ts';
import type { Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { keepCatalogue } from '../../sessions/catalogue.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { listSessions } from './list-sessions.ts';
import { mirrorChats } from './mirror.ts';
import { keepMovable } from './movable.ts';

/** The list of sessions, and the state of each session that follows from its chats [ROOT-2] [SESS-5]. */
export function catalogueFeature({
  sync,
  timers,
  log,
}: {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly log: Log;
}): Feature {
  let stopCatalogue = (): void => undefined;
  return {
    name: 'catalogue',
    commands: { listSessions: listSessions(sync, log) },
    observe: () => {
      stopCatalogue = keepCatalogue(sync, timers);
      mirrorChats(sync);
      keepMovable(sync);
      keepHostKeys(sync);
    },
    stop: () => stopCatalogue(),
  };
}

/**
 * Adds the keys of today's session config to sessions of an earlier host version, and mirrors `metadata` into
 * `_meta`, beside its other members. No action changes a schema, so clients that have such a session get a
 * snapshot when they return.
 */
function keepHostKeys(sync: Sync): void {
  sync.registry.onLoaded((channel) => {
    if (channel.is('session')) upgrade(sync, channel);
  });
  sync.observe('session', (tx, { channel, after, action }) => {
    if (action.type !== 'session/configChanged') return;
    const metadata = metadataOf(after.config?.values);
    const shown = after._meta?.['metadata'];
    if (sameJson(shown ?? {}, metadata)) return;
    tx.emit(channel, { type: 'session/metaChanged', _meta: { ...after._meta, metadata } });
  });
}

function upgrade(sync: Sync, session: Channel<'session'>): void {
  const config = upgraded(session.state.config, { approvals: defaultApprovals(sync.root.state.config) });
  if (config === undefined) return;
  sync.transact('host', (tx) => {
    tx.setWindow(session, { ...session.state, config });
    tx.setHostData(session, { ...session.hostData, bornSeq: sync.emittedSeq });
    sync.registry.writeSnapshot(tx, session);
  });
}
