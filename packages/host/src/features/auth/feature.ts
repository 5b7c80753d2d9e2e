import {
  type AuthenticateParams,
  authRequired,
  invalidParam,
  type ProtectedResourceMetadata,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { AgentError } from '../../agents/errors.ts';
import type { AgentProvider, ClientToken } from '../../agents/provider.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type Clock, steadyNow } from '../../lib/clock.ts';
import type { SignIns } from '../../turns/tools/sign-ins.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { Feature } from '../feature.ts';

/** A provider that needs tokens for a resource. */
interface Advertised {
  readonly provider: AgentProvider;
  readonly metadata: ProtectedResourceMetadata;
}

/** Passes the tokens of clients to agents, and to tool calls that wait for one. The host itself stores no token [AUTH-20]. */
export function authFeature({
  agents,
  signIns,
  clock,
  presence,
}: {
  readonly agents: AgentRegistry;
  readonly signIns: SignIns;
  readonly clock: Clock;
  readonly presence: Presence;
}): Feature & { isSignedIn(clientId: string, resource: string): boolean } {
  /** The end of each accepted token, by `steadyNow`, by client and resource. */
  const accepted = new Map<string, Map<string, number>>();
  const advertised = (resource: string): readonly Advertised[] =>
    agents.ids.flatMap((id) => {
      const provider = agents.get(id);
      const metadata = provider.describe().protectedResources?.find((each) => each.resource === resource);
      return metadata === undefined ? [] : [{ provider, metadata }];
    });
  return {
    name: 'auth',
    isSignedIn: (clientId, resource) =>
      (accepted.get(clientId)?.get(resource) ?? Number.NEGATIVE_INFINITY) > steadyNow(clock),
    commands: {
      authenticate: async (params, { clientId }) => {
        const { resource, token, scopes, expiresIn } = params;
        checkToken(params);
        const wanting = advertised(resource);
        if (wanting.length === 0 && !signIns.isWanted(resource))
          throw invalidParam(
            'resource',
            'expected a resource that an agent or a tool call needs a token for',
          );
        const end = expiresIn === undefined ? Number.POSITIVE_INFINITY : steadyNow(clock) + expiresIn * 1_000;
        const given = { token, ...defined({ scopes, expiresIn }) };
        for (const { provider, metadata } of wanting) await pass(provider, metadata, { ...given, clientId });
        const held = accepted.get(clientId) ?? new Map<string, number>();
        if (token === '') held.delete(resource);
        else if (wanting.length > 0) accepted.set(clientId, held.set(resource, end));
        if (token !== '') signIns.grant(resource, given);
        return {};
      },
    },
    sweep: () => {
      for (const clientId of accepted.keys()) if (presence.isGone(clientId)) accepted.delete(clientId);
    },
  };
}

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
