import { notFound, ROOT_URI } from '@agenthost/protocol';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import { EncodedNotification, type Sink } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import { type GrantStore, type StoredGrant, shownGrant } from '../../workspace/access/grants.ts';
import type { Files } from '../../workspace/files/files.ts';
import type { Feature } from '../feature.ts';
import { AccessRequests } from './access-requests.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly accessTokens: AccessTokens;
  readonly presentClients: Pick<PresentClients, 'isConnected' | 'nameOf'>;
  readonly grants: GrantStore;
  readonly files: Files;
}

/** Access to files that clients ask for and admins grant [RES-2]. */
export function grantsFeature(parts: Parts): Feature {
  const { sync, grants, accessTokens } = parts;
  const watchers = new Watchers(sync, parts.presentClients);
  const requests = new AccessRequests({ ...parts, changed: () => watchers.tell() });
  grants.onChange(() => watchers.tell());
  accessTokens.onEnded((tokenHash, isRevoked) => {
    requests.dropToken(tokenHash);
    // The owner of an expired token may get it renewed under another one; a grant does not go over.
    if (isRevoked || accessTokens.isExpired(tokenHash))
      sync.transact('host', (tx) => grants.drop(tx, (grant) => grant.tokenHash === tokenHash));
  });
  return {
    name: 'grants',
    commands: grantCommands(parts, requests, watchers),
    stop: () => requests.stop(),
  };
}

function grantCommands(
  { sync, grants, files, presentClients }: Parts,
  requests: AccessRequests,
  watchers: Watchers,
): Commands {
  const isVisible = (grant: StoredGrant, { isAdmin, clientId, tokenHash }: Caller): boolean =>
    isAdmin || (grant.clientId === clientId && grant.tokenHash === tokenHash);
  return {
    resourceRequest: async (params, caller) => {
      const { wanted, isAllowed } = await files.wanted(params, caller);
      if (isAllowed) return {};
      if (caller.isAdmin) sync.transact('client', (tx) => grants.add(tx, caller, wanted, caller.clientId));
      else await requests.ask(params, wanted, caller, presentClients.nameOf(caller.sink));
      return {};
    },
    'x-listGrants': (_, caller) => {
      watchers.add(caller.sink);
      return {
        items: grants.all.filter((grant) => isVisible(grant, caller)).map(shownGrant),
        requests: requests.list(caller.isAdmin ? undefined : caller),
      };
    },
    'x-answerGrant': ({ id, isGranted }, { clientId }) => {
      const request = requests.find(id);
      if (request === undefined) throw notFound('request for access', id);
      if (isGranted) sync.transact('client', (tx) => grants.add(tx, request, request, clientId));
      requests.answer(id, isGranted);
      return null;
    },
    'x-revokeGrant': ({ id }, caller) => {
      const grant = grants.all.find((each) => each.id === id);
      if (grant === undefined || !isVisible(grant, caller)) throw notFound('grant', id);
      sync.transact('client', (tx) => grants.drop(tx, (each) => each.id === id));
      return null;
    },
  };
}

/** The connections that are told of changes. */
class Watchers {
  readonly #sync: Sync;
  readonly #presentClients: Pick<PresentClients, 'isConnected'>;
  readonly #sinks = new Set<Sink>();

  constructor(sync: Sync, presentClients: Pick<PresentClients, 'isConnected'>) {
    this.#sync = sync;
    this.#presentClients = presentClients;
  }

  add(sink: Sink): void {
    this.#sinks.add(sink);
  }

  /** Tells all of them, after what was committed before. */
  tell(): void {
    if (this.#sinks.size === 0) return;
    const send = (): void => {
      const encoded = new EncodedNotification('x-grantsChanged', { channel: ROOT_URI });
      for (const sink of this.#sinks) {
        if (this.#presentClients.isConnected(sink)) sink.notification(encoded);
        else this.#sinks.delete(sink);
      }
    };
    this.#sync.path.send(send, send);
  }
}
