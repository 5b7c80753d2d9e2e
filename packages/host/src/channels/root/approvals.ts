import { notFound, sessionNotFound } from '@agenthost/protocol';
import type { Approvals } from '../../approvals/approvals.ts';
import type { ConfigChanges } from '../../approvals/policy.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { forgetMemory } from '../../turns/memory.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Commands } from '../../wire/router.ts';

/**
 * `x-listApprovals` and `x-revokeApproval`: whoever may answer questions may see and take back what answers them. What an agent remembers by itself
 * goes with its session: the chat gets another one, which is told the history, from its next turn on. A mode that the agent went into because
 * of what it was allowed is left again.
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
      const session =
        chat?.session === undefined ? undefined : await sync.registry.openOf('session', chat.session);
      let isThere = false;
      sync.path.transact('client', () => {
        isThere = approvals.revoke(id);
        if (!isThere || keeper === undefined) return;
        if (chat !== undefined) forgetMemory(sync, chat);
        if (session !== undefined) giveBackConfig({ sync, turns }, session, keeper.changedConfig);
        sync.path.effect(() => turns.renewAgent(keeper.chat, keeper.provider));
      });
      if (!isThere) throw notFound('approval', id);
      return null;
    },
  };
}

/** Gives config values back that an agent has changed, unless somebody has changed them since. Inside `path.transact` only. */
function giveBackConfig(
  { sync, turns }: { readonly sync: Sync; readonly turns: TurnSupervisor },
  session: Channel<'session'>,
  changes: ConfigChanges,
): void {
  const { config, chats } = session.state;
  const values = Object.fromEntries(
    Object.entries(changes)
      .filter(([key, { to }]) => JSON.stringify(config?.values[key]) === JSON.stringify(to))
      .map(([key, { from }]) => [key, from]),
  );
  if (Object.keys(values).length === 0) return;
  sync.emit(session, { type: 'session/configChanged', config: values });
  const uris = chats.map(({ resource }) => resource);
  sync.path.effect(() => turns.configure(uris, values));
}
