import { patch, withItem, withoutItem } from '../wire/patch.ts';
import type { SessionActiveClientRemovedAction, SessionActiveClientSetAction } from './actions.ts';
import type { SessionState } from './state.ts';

function indexOfClient(state: SessionState, clientId: string): number {
  return state.activeClients.findIndex((client) => client.clientId === clientId);
}

/** Replaces an active client in place, or appends it [SESS-8]. */
export function setActiveClient(
  state: SessionState,
  { activeClient }: SessionActiveClientSetAction,
): SessionState {
  const index = indexOfClient(state, activeClient.clientId);
  return patch(state, { activeClients: withItem(state.activeClients, index, activeClient) });
}

/** Removes an active client. An unknown client changes nothing [SESS-8]. */
export function removeActiveClient(
  state: SessionState,
  { clientId }: SessionActiveClientRemovedAction,
): SessionState {
  const index = indexOfClient(state, clientId);
  return index < 0 ? state : patch(state, { activeClients: withoutItem(state.activeClients, index) });
}
