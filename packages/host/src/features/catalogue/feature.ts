import type { Log } from '../../lib/log.ts';
import { keepCatalogue } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { keepHostKeys } from './host-keys.ts';
import { listSessions } from './list-sessions.ts';
import { mirrorChats } from './mirror.ts';

/** The list of sessions, and the state of each session that follows from its chats [ROOT-2] [SESS-5]. */
export function catalogueFeature({ sync, log }: { readonly sync: Sync; readonly log: Log }): Feature {
  return {
    name: 'catalogue',
    commands: { listSessions: listSessions(sync, log) },
    observe: () => {
      keepCatalogue(sync);
      mirrorChats(sync);
      keepHostKeys(sync);
    },
  };
}
