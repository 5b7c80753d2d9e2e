import type { Log } from '../../lib/log.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { ChatDirectories } from './chat-directories.ts';
import { WorkingDirectories } from './working-directories.ts';

/**
 * Tracks the working directories of all sessions and chats. Clients and agents may read the files in them
 * [RES-2].
 */
export async function workingDirectoriesFeature({
  sync,
  log,
  listing,
}: {
  readonly sync: Sync;
  readonly log: Log;
  readonly listing: SessionListing;
}): Promise<Feature & { readonly directories: WorkingDirectories }> {
  const ofChats = await ChatDirectories.load(sync);
  const directories = new WorkingDirectories(sync, log, () => ofChats.list());
  ofChats.onChange((tx) => directories.changed(tx));
  return {
    name: 'working-directories',
    directories,
    observe: () => {
      sync.observe('session', (tx, { action }) => {
        if (action.type.startsWith('session/workingDirectory')) directories.changed(tx);
      });
      listing.onChange((tx, uri, by) => {
        directories.changed(tx);
        ofChats.sessionListed(tx, uri, by);
      });
    },
  };
}
