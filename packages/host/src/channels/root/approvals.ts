import { notFound, sessionNotFound } from '@agenthost/protocol';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Commands } from '../../wire/router.ts';

/** `x-listApprovals` and `x-revokeApproval`: whoever may answer questions may see and take back what answers them. */
export function approvalCommands(sync: Sync, approvals: Approvals): Commands {
  return {
    'x-listApprovals': async ({ session: uri }) => {
      if (uri === undefined) return { items: approvals.list() };
      const session = await sync.registry.openOf('session', uri);
      if (session === undefined) throw sessionNotFound(uri);
      return { items: approvals.list(session) };
    },
    'x-revokeApproval': ({ id }) => {
      let isThere = false;
      sync.path.transact('client', () => {
        isThere = approvals.revoke(id);
      });
      if (!isThere) throw notFound('approval', id);
      return null;
    },
  };
}
