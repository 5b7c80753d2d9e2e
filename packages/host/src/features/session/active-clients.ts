import { CHANNEL_LIMITS, type SessionAction, type SessionActiveClient, weightOf } from '@agenthost/protocol';
import { findToolFault } from '../../client-tools/definitions.ts';
import { isSameOffer } from '../../client-tools/offers.ts';
import { type Caller, type Rejection, reject, rejectSize } from '../../handler-port/channel-module.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';

type Membership = Extract<SessionAction, { type: 'session/activeClientSet' | 'session/activeClientRemoved' }>;

/**
 * Why a client may not join, change its tools or leave; `undefined` if it may. A client acts only for itself,
 * and its tools must be usable by agents [SESS-8].
 */
export function checkActiveClient(
  action: Membership,
  present: readonly SessionActiveClient[],
  caller: Caller,
): Rejection | undefined {
  const isSet = action.type === 'session/activeClientSet';
  const clientId = isSet ? action.activeClient.clientId : action.clientId;
  if (clientId !== caller.clientId) return reject('notYours', 'A client sets and removes only itself');
  const fault = isSet ? findToolFault(action.activeClient.tools) : undefined;
  if (fault !== undefined) return reject('invalidTools', fault);
  return isSet ? checkRoom(present, action.activeClient) : undefined;
}

/** Sizes of active clients. They are never changed in place, so each is measured once. */
const weights = new WeakMap<SessionActiveClient, number>();

function weightOfClient(client: SessionActiveClient): number {
  const weight = weights.get(client) ?? weightOf(client);
  weights.set(client, weight);
  return weight;
}

/** The definitions of all clients are part of the state that each client gets. */
function checkRoom(
  present: readonly SessionActiveClient[],
  joining: SessionActiveClient,
): Rejection | undefined {
  const { activeClientsLength } = CHANNEL_LIMITS;
  const others = present.filter(({ clientId }) => clientId !== joining.clientId);
  const length = [...others, joining].reduce((sum, client) => sum + weightOfClient(client), weightOf([]));
  return length > activeClientsLength.max
    ? rejectSize('activeClients', activeClientsLength, length)
    : undefined;
}

/** Tells a session's agents when the tools of active clients have changed. */
export function announceTools(sync: Sync, turns: Pick<TurnSupervisor, 'toolsChanged'>): void {
  sync.observe('session', (tx, { channel, before, after }) => {
    if (isSameOffer(before.activeClients, after.activeClients)) return;
    const chats = after.chats.map(({ resource }) => resource);
    tx.effect(() => turns.toolsChanged(chats.filter(() => channel.isAlive)));
  });
}
