import {
  type AuthenticateParams,
  type AuthRequiredReason,
  authRequired,
  invalidParam,
  type ProtectedResourceMetadata,
  ROOT_URI,
} from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { AgentError } from '../../agents/errors.ts';
import type { AgentProvider, ClientToken } from '../../agents/provider.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import type { CommitPath } from '../../sync/commit-path.ts';
import { EncodedNotification } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { SignIns } from '../../turns/tools/sign-ins.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { Feature } from '../feature.ts';
import { type HeldToken, HeldTokens } from './held-tokens.ts';
import { OpenSignIns, type SignedIn } from './open-sign-ins.ts';

/** A provider that needs tokens for a resource. */
interface Advertised {
  readonly provider: AgentProvider;
  readonly metadata: ProtectedResourceMetadata;
}

/** Passes the tokens of clients to agents, and to tool calls that wait for one. The host itself stores no token [AUTH-20]. */
export async function authFeature({
  agents,
  signIns,
  clock,
  timers,
  log,
  presence,
  presentClients,
  path,
  sync,
}: {
  readonly agents: AgentRegistry;
  readonly signIns: SignIns;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly presence: Presence;
  readonly presentClients: Pick<PresentClients, 'sinksOf'>;
  readonly path: Pick<CommitPath, 'send'>;
  readonly sync: Sync;
}): Promise<
  Feature & {
    /** Whether a client has passed a token for a resource that holds now. */
    isSignedIn(clientId: string, resource: string): boolean;
    /** Throws `AgentError` (`authRequired`) if the client that started a turn lacks a token that the agent needs, and asks the client for it [AUTH-2]. */
    checkTurn(turn: { readonly session: string; readonly chat: string }): void;
  }
> {
  const held = await HeldTokens.load({ sync, log });
  const advertised = (resource: string): readonly Advertised[] =>
    agents.ids.flatMap((id) => {
      const provider = agents.get(id);
      const metadata = provider.describe().protectedResources?.find((each) => each.resource === resource);
      return metadata === undefined ? [] : [{ provider, metadata }];
    });
  /** Sends `auth/required` to a client. Returns false if the client is away. */
  const tell = (
    clientId: string,
    resource: ProtectedResourceMetadata,
    reason: AuthRequiredReason,
  ): boolean => {
    const sinks = presentClients.sinksOf(clientId);
    const encoded = new EncodedNotification('auth/required', { channel: ROOT_URI, resource, reason });
    const send = (): void => {
      for (const sink of sinks) sink.notification(encoded);
    };
    if (sinks.length > 0) path.send(send, send);
    return sinks.length > 0;
  };
  /** The clients that started the present turns, by chat. Messages that wait in the queue are theirs too. */
  const starters = new Map<string, string>();
  const isSignedIn = (clientId: string, resource: string): boolean =>
    (held.get(clientId, resource)?.end ?? Number.NEGATIVE_INFINITY) > steadyNow(clock);
  /** Asks a client for a new token in place of one that has expired [AUTH-21]. A client that is away is asked when it is back. */
  const askAnew = (clientId: string, resource: string, token: HeldToken): void => {
    const [wanting] = advertised(resource);
    if (wanting !== undefined && tell(clientId, wanting.metadata, token.reason)) token.isTold = true;
  };
  /** Passes a token to the agents and the tool calls that need one for its resource. */
  const accept = async (
    clientId: string,
    resource: string,
    given: Omit<ClientToken, 'resource' | 'clientId'>,
    renew?: () => Promise<SignedIn>,
  ): Promise<void> => {
    const { token, expiresIn } = given;
    const wanting = advertised(resource);
    if (wanting.length === 0 && signIns.wanted(resource) === undefined) throw notWanted();
    const end = expiresIn === undefined ? Number.POSITIVE_INFINITY : steadyNow(clock) + expiresIn * 1_000;
    for (const { provider, metadata } of wanting) await pass(provider, metadata, { ...given, clientId });
    if (token === '') held.delete(clientId, resource);
    else if (wanting.length > 0) held.set(clientId, resource, { end, renew });
    if (token !== '') signIns.grant(resource, given);
  };
  const take = async (clientId: string, { resource, token: granted, renew }: SignedIn) => {
    const { token, scopes, expiresIn } = granted;
    const given = { token, ...defined({ scopes: scopes && [...scopes], expiresIn }) };
    await accept(clientId, resource, given, renew);
    return { resource, ...given };
  };
  /** Renews a token that has expired, else asks the client for a new one. */
  const renewOrAsk = async (clientId: string, resource: string, token: HeldToken): Promise<void> => {
    if (token.renew === undefined) return askAnew(clientId, resource, token);
    token.isTold = true;
    try {
      const renewed = await token.renew();
      // The client may have revoked or replaced it, or be gone.
      if (held.get(clientId, resource) === token) await take(clientId, renewed);
    } catch (error) {
      log.info({ resource, error: errorText(error) }, 'a token could not be renewed');
      token.renew = undefined;
      token.isTold = false;
      if (held.get(clientId, resource) === token) askAnew(clientId, resource, token);
    }
  };
  const open = new OpenSignIns({ clock, timers });
  return {
    name: 'auth',
    isSignedIn,
    checkTurn: ({ session, chat }) => {
      const clientId = starters.get(chat);
      const provider = sync.registry.getOf('session', session)?.state.provider;
      // The host started the turn by itself, and has no token. The agent decides.
      if (clientId === undefined || provider === undefined) return;
      const { displayName, protectedResources = [] } = agents.get(provider).describe();
      const missing = protectedResources.filter(
        ({ required, resource }) => required !== false && !isSignedIn(clientId, resource),
      );
      if (missing.length === 0) return;
      for (const resource of missing) tell(clientId, resource, 'required');
      // Clients say how to sign in; the one of the command line takes the identifier.
      const names = missing.map(({ resource, resource_name: name = resource }) =>
        name === resource ? name : `${name} (${resource})`,
      );
      throw new AgentError('authRequired', `${displayName} needs a sign-in to ${names.join(', ')}`);
    },
    observe: () => {
      sync.observe('chat', (_, { channel: { uri }, action, origin, after }) => {
        if (action.type === 'chat/turnStarted' && origin !== undefined) starters.set(uri, origin.clientId);
        if (after.activeTurn === undefined && (after.queuedMessages ?? []).length === 0) starters.delete(uri);
      });
    },
    commands: {
      authenticate: async (params, { clientId }) => {
        const { resource, token, scopes, expiresIn } = params;
        checkToken(params);
        await accept(clientId, resource, { token, ...defined({ scopes, expiresIn }) });
        return {};
      },
      'x-beginSignIn': async (params, { clientId }) => {
        const { resource } = params;
        const [wanting] = advertised(resource);
        const auth = signIns.wanted(resource) ?? (wanting && { resource: wanting.metadata });
        if (auth === undefined) throw notWanted();
        return open.begin(clientId, auth, params);
      },
      'x-finishSignIn': async (params, { clientId }, signal) =>
        take(clientId, await open.finish(clientId, params, signal)),
    },
    sweep: () => {
      open.sweep((clientId) => presence.isGone(clientId));
      held.dropClients((clientId) => presence.isGone(clientId));
      for (const [clientId, resource, token] of held.all)
        if (!token.isTold && token.end <= steadyNow(clock)) void renewOrAsk(clientId, resource, token);
    },
  };
}

const notWanted = () =>
  invalidParam('resource', 'expected a resource that an agent or a tool call needs a token for');

function checkToken({ resource, token, expiresIn }: AuthenticateParams): void {
  if (resource === '') throw invalidParam('resource', 'expected the identifier of a resource');
  if (token === '' && expiresIn !== undefined)
    throw invalidParam('expiresIn', 'an empty token revokes, and has no lifetime');
  if (/[^\x21-\x7e]/.test(token)) throw invalidParam('token', 'expected printable ASCII without spaces');
}

async function pass(
  provider: AgentProvider,
  metadata: ProtectedResourceMetadata,
  given: Omit<ClientToken, 'resource'>,
): Promise<void> {
  try {
    await provider.authenticate?.({ ...given, resource: metadata.resource });
  } catch (error) {
    if (error instanceof AgentError) throw authRequired([metadata]);
    throw error;
  }
}
