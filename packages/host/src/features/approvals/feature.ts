import { notFound, sessionNotFound } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Approvals } from '../../approvals/approvals.ts';
import type { ConfigChanges } from '../../approvals/policy.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { forgetMemory } from '../../turns/agent/instructions.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Feature } from '../feature.ts';

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

/**
 * `x-listApprovals` and `x-revokeApproval`. Clients that may answer questions may also list and revoke
 * approvals. An approval that an agent stores itself is revoked with its agent session: from its next turn
 * the chat uses a new one, which is told the history. Config values that the agent changed because of the
 * approval are restored.
 */
function approvalCommands(sync: Sync, approvals: Approvals, turns: TurnSupervisor): Commands {
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
      sync.transact('client', (tx) => {
        isThere = approvals.revoke(tx, id);
        if (!isThere || keeper === undefined) return;
        if (chat !== undefined) forgetMemory(tx, chat);
        if (session !== undefined) giveBackConfig(tx, turns, session, keeper.changedConfig);
        tx.effect(() => turns.renewAgent(keeper.chat, keeper.provider));
      });
      if (!isThere) throw notFound('approval', id);
      return null;
    },
  };
}

/** Restores config values that an agent has changed, unless they were changed again since. */
function giveBackConfig(
  tx: Tx,
  turns: TurnSupervisor,
  session: Channel<'session'>,
  changes: ConfigChanges,
): void {
  const { config, chats } = session.state;
  if (config === undefined) return;
  const isUnchanged = (key: string, to: unknown): boolean => sameJson(config.values[key], to);
  const given = Object.entries(changes).filter(([key, { to }]) => isUnchanged(key, to));
  if (given.length === 0) return;
  const values = Object.fromEntries(
    given.filter(([, { from }]) => from !== undefined).map(([key, { from }]) => [key, from]),
  );
  const unset = new Set(given.filter(([, { from }]) => from === undefined).map(([key]) => key));
  // JSON cannot unset a single value.
  const kept = Object.entries(config.values).filter(([key]) => !unset.has(key));
  tx.emit(session, {
    type: 'session/configChanged',
    ...(unset.size === 0
      ? { config: values }
      : { config: { ...Object.fromEntries(kept), ...values }, replace: true }),
  });
  if (Object.keys(values).length === 0) return;
  const uris = chats.map(({ resource }) => resource);
  tx.effect(() => turns.configure(uris, values));
}
