import { isObject, type Json, type Look, listOf, StateNeeded } from '../reshape.ts';
import type { Reshaping } from '../step.ts';
import { activeClientFor } from './sessions.ts';

/** Joining and leaving was one action, with the client that is active from now on. */
function changed(_: Json, { after, clientId }: Look): Json {
  if (!isObject(after)) throw new StateNeeded();
  return {
    type: 'session/activeClientChanged',
    activeClient: activeClientFor(after.activeClients, clientId) ?? null,
  };
}

const ownEntry = ({ before, clientId }: Look): Json | undefined =>
  listOf(isObject(before) ? before.activeClients : undefined)
    .filter(isObject)
    .find((client) => client.clientId === clientId);

/** A session had one active client. */
export const activeClient: Reshaping = {
  first: { 'session/activeClientSet': changed, 'session/activeClientRemoved': changed },
  up: {
    actions: {
      'session/activeClientChanged': ({ activeClient: client }, { clientId }) =>
        client === null || client === undefined
          ? { type: 'session/activeClientRemoved', clientId }
          : { type: 'session/activeClientSet', activeClient: client },
      'session/activeClientToolsChanged': ({ tools }, look) => ({
        type: 'session/activeClientSet',
        activeClient: { ...(ownEntry(look) ?? { clientId: look.clientId }), tools },
      }),
    },
  },
};
