import type { Approvals } from '../../approvals/approvals.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Feature } from '../feature.ts';
import { approvalCommands } from './commands.ts';

/** Permanent approvals. Clients list and revoke them; those of one session are removed with it. */
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
