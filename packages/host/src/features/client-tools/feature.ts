import { Membership } from '../../client-tools/membership.ts';
import type { Log } from '../../lib/log.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { Feature } from '../feature.ts';

/** The active clients of sessions, which offer tools to agents [SESS-8]. */
export function clientToolsFeature({
  listing,
  ...parts
}: {
  readonly sync: Sync;
  readonly log: Log;
  readonly presence: Presence;
  readonly listing: SessionListing;
}): Feature {
  const membership = new Membership(parts);
  return {
    name: 'client-tools',
    clients: membership,
    observe: () =>
      listing.onChange((_tx, uri, by) => {
        if (by === -1) membership.forget(uri);
      }),
    recover: () => membership.recover(),
  };
}
