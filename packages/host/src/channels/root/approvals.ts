import { notFound, sessionNotFound } from '@agenthost/protocol';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Sync } from '../../sync/sync.ts';
import { forgetMemory } from '../../turns/memory.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Commands } from '../../wire/router.ts';

/**
 * `x-listApprovals` and `x-revokeApproval`: whoever may answer questions may see and take back what answers them. What an agent remembers by itself
 * goes with its session: the chat gets another one, which is told the history, from its next turn on.
 */
export function approvalCommands(sync: Sync, approvals: Approvals, turns: TurnSupervisor): Commands {
  return {
    'x-listApprovals': async ({ session: uri }) => {
      if (uri === undefined) return { items: approvals.list() };
      const session = await sync.registry.openOf('session', uri);
      if (session === undefined) throw sessionNotFound(uri);
      return { items: approvals.list(session) };
    },
    'x-revokeApproval': async ({ id }) => {
      const keeper = approvals.keeperOf(id);
      const chat = keeper === undefined ? undefined : await sync.registry.openOf('chat', keeper.chat);
      let isThere = false;
      sync.path.transact('client', () => {
        isThere = approvals.revoke(id);
        if (!isThere || keeper === undefined) return;
        if (chat !== undefined) forgetMemory(sync, chat);
        sync.path.effect(() => turns.renewAgent(keeper.chat, keeper.provider));
      });
      if (!isThere) throw notFound('approval', id);
      return null;
    },
  };
}
