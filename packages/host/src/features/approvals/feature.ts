import type { Approvals } from '../../approvals/approvals.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Feature } from '../feature.ts';
import { approvalCommands } from './commands.ts';

/** What was allowed for good: clients list and revoke it, and what was allowed for one session goes with the session. */
export function approvalsFeature({
  sync,
  approvals,
  turns,
  listing,
}: {
  readonly sync: Sync;
  readonly approvals: Approvals;
  readonly turns: TurnSupervisor;
  readonly listing: SessionListing;
}): Feature {
  return {
    name: 'approvals',
    commands: approvalCommands(sync, approvals, turns),
    observe: () =>
      listing.onChange((tx, uri, by) => {
        if (by === -1) approvals.forget(tx, uri);
      }),
  };
}
