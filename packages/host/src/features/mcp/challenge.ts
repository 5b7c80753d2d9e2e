import type { McpAuthRequirement, ProtectedResourceMetadata } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { FetchLike } from '@modelcontextprotocol/client';

/** The answer 401 or 403 of a server that needs a token, or another one. */
export class McpAuthChallenge extends Error {
  override readonly name = 'McpAuthChallenge';
  readonly auth: McpAuthRequirement;

  constructor(auth: McpAuthRequirement) {
    super(auth.description ?? `a token for ${auth.resource.resource} is needed`);
    this.auth = auth;
  }
}

/**
 * Reads the challenge of an answer [MCP-20]; `undefined` if it is none. The metadata of the resource come from the server (RFC 9728), and name
 * its URL where the server publishes none, or those of a resource that is not its own.
 */
export async function readChallenge(
  url: string,
  response: Response,
  hadToken: boolean,
  { fetch: fetchMetadata, clientId }: { readonly fetch: FetchLike; readonly clientId: string | undefined },
): Promise<McpAuthChallenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const library = await import('@modelcontextprotocol/client');
  const { resourceMetadataUrl, scope, error, errorDescription } =
    library.extractWWWAuthenticateParams(response);
  const isScope = error === 'insufficient_scope';
  if (response.status === 403 && !isScope) return undefined;
  let resource: ProtectedResourceMetadata = { resource: url };
  try {
    const found = await library.discoverOAuthProtectedResourceMetadata(
      url,
      { ...defined({ resourceMetadataUrl }) },
      fetchMetadata,
    );
    // A token for the resource of another server would go to this one (RFC 9728, section 3.3).
    if (library.checkResourceAllowed({ requestedResource: url, configuredResource: found.resource }))
      resource = {
        resource: found.resource,
        ...defined({
          resource_name: found.resource_name,
          authorization_servers: found.authorization_servers,
          scopes_supported: found.scopes_supported,
          bearer_methods_supported: found.bearer_methods_supported,
          resource_documentation: found.resource_documentation,
        }),
      };
  } catch {
    // The server publishes no metadata: a client can still pass a token for its URL.
  }
  const requiredScopes = scope?.split(' ').filter((each) => each !== '');
  return new McpAuthChallenge({
    reason: isScope ? 'insufficientScope' : hadToken ? 'expired' : 'required',
    resource,
    ...(clientId === undefined ? {} : { oauthClient: { clientId } }),
    ...defined({ requiredScopes, description: errorDescription?.slice(0, 1_000) }),
  });
}
