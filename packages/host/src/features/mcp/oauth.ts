import { randomBytes } from 'node:crypto';
import { conflict, invalidParam, type McpAuthRequirement, notFound, type URI } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { discoverAuthorizationServerMetadata, FetchLike } from '@modelcontextprotocol/client';
import { expandVariables, isWebUrl, type RemoteEntry } from '../../config/mcp-servers.ts';
import { boundedFetch } from '../../lib/bounded-fetch.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { McpServer } from './server.ts';
import { type McpTokens, type RenewableToken, RenewalRefused, type TokenRenewal } from './tokens.ts';

/** Time in which a person has to sign in, in milliseconds. */
const SIGN_IN_LIMIT_MS = 10 * 60_000;
/** Most sign-ins that wait for a person. The oldest ones end. */
const MAX_OPEN = 32;
const MAX_REASON = 1_000;

/** Services for sign-ins. */
interface Parts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly tokens: McpTokens;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gives a token to all who wait for one of the resource. */
  granted(resource: string, token: RenewableToken): void;
}

/** A sign-in that waits for the browser. */
interface OpenSignIn {
  readonly session: URI;
  readonly url: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly scope: string;
  readonly renewal: Omit<TokenRenewal, 'refreshToken'>;
  /** By `steadyNow`. */
  readonly endsAt: number;
}

/** Signs in to remote servers by OAuth with PKCE. The host is the OAuth client; clients show the page of the authorization server to people. */
export class McpSignIns {
  readonly #parts: Parts;
  readonly #fetch: FetchLike;
  /** By state, oldest first. */
  readonly #open = new Map<string, OpenSignIn>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#fetch = boundedFetch(parts.timers);
  }

  /** Begins a sign-in. Throws a wire error if the server needs no token, or its authorization server cannot be used. */
  async start(session: URI, server: McpServer, redirectUri: string): Promise<{ url: string; state: string }> {
    const { state: needs, entry } = server;
    if (!isWebUrl(redirectUri)) throw invalidParam('redirectUri', 'expected an http or https URL');
    if (needs.kind !== 'authRequired' || entry.kind === 'stdio')
      throw conflict(`The MCP server ${entry.name} needs no token now`);
    const state = randomBytes(24).toString('base64url');
    const { url, ...open } = await this.#begin(entry, needs, { redirectUri, state }).catch(
      (error: unknown) => {
        throw invalidParam('id', `no sign-in to ${entry.name}: ${errorText(error).slice(0, MAX_REASON)}`);
      },
    );
    const now = steadyNow(this.#parts.clock);
    for (const [key, { endsAt }] of this.#open)
      if (endsAt <= now || this.#open.size >= MAX_OPEN) this.#open.delete(key);
    this.#open.set(state, { ...open, session, url: entry.url, redirectUri, endsAt: now + SIGN_IN_LIMIT_MS });
    return { url, state };
  }

  /** Ends a sign-in with the parameters of the redirect. Throws a wire error for an unknown state or a refused code. */
  async finish(
    session: URI,
    { state, code, iss }: { state: string; code: string; iss?: string },
  ): Promise<void> {
    const open = this.#open.get(state);
    if (open === undefined || open.session !== session || open.endsAt <= steadyNow(this.#parts.clock))
      throw notFound('sign-in', state);
    this.#open.delete(state);
    const { url, renewal } = open;
    const token = await this.#exchanged(open, { code, ...defined({ iss }) }).catch((error: unknown) => {
      throw invalidParam(
        'code',
        `the authorization server refused: ${errorText(error).slice(0, MAX_REASON)}`,
      );
    });
    await this.#parts.tokens.set(url, token);
    this.#parts.granted(renewal.resource, token);
  }

  async #begin(
    entry: RemoteEntry,
    needs: McpAuthRequirement,
    { redirectUri, state }: { readonly redirectUri: string; readonly state: string },
  ): Promise<Pick<OpenSignIn, 'verifier' | 'scope' | 'renewal'> & { readonly url: string }> {
    const library = await import('@modelcontextprotocol/client');
    const { resource, authorization_servers: [issuer = new URL('/', entry.url).href] = [] } = needs.resource;
    const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn: this.#fetch });
    const wanted = needs.requiredScopes ?? needs.resource.scopes_supported ?? [];
    // A step-up must not lose what was granted before.
    const scope = [...new Set([...this.#parts.tokens.scopesOf(entry.url), ...wanted])].join(' ');
    const client =
      this.#ownClient(entry) ?? (await this.#registered(issuer, redirectUri, { metadata, scope }));
    const { authorizationUrl, codeVerifier } = await library.startAuthorization(issuer, {
      ...defined({ metadata }),
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      resource,
      ...(scope === '' ? {} : { scope }),
    });
    if (!isWebUrl(authorizationUrl.href)) throw new Error('its page is no http or https URL');
    const { client_id: clientId, client_secret: clientSecret } = client;
    const renewal = { issuer, resource, clientId, ...defined({ clientSecret }) };
    return { url: authorizationUrl.href, verifier: codeVerifier, scope, renewal };
  }

  #ownClient({ oauth }: RemoteEntry): { client_id: string; client_secret?: string } | undefined {
    if (oauth === undefined) return undefined;
    const { environment } = this.#parts;
    const secret = oauth.clientSecret && expandVariables(oauth.clientSecret, environment);
    return { client_id: expandVariables(oauth.clientId, environment), ...defined({ client_secret: secret }) };
  }

  async #registered(
    issuer: string,
    redirectUri: string,
    { metadata, scope }: { readonly metadata: Metadata; readonly scope: string },
  ): Promise<{ client_id: string; client_secret?: string | undefined }> {
    const { registerClient } = await import('@modelcontextprotocol/client');
    return registerClient(issuer, {
      ...defined({ metadata }),
      clientMetadata: {
        client_name: 'agenthost',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      ...(scope === '' ? {} : { scope }),
      fetchFn: this.#fetch,
    });
  }

  async #exchanged(
    { renewal, redirectUri, verifier, scope }: OpenSignIn,
    { code, iss }: { readonly code: string; readonly iss?: string },
  ): Promise<RenewableToken> {
    const library = await import('@modelcontextprotocol/client');
    const { issuer, resource } = renewal;
    const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn: this.#fetch });
    const tokens = await library.exchangeAuthorization(issuer, {
      ...defined({ metadata, iss }),
      clientInformation: clientOf(renewal),
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      resource,
      fetchFn: this.#fetch,
    });
    return tokenOf(tokens, { ...renewal, scope });
  }
}

type Metadata = Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>;

/** Renews tokens at their authorization servers. */
export function tokenRenewer(timers: Timers): (renewal: TokenRenewal) => Promise<RenewableToken> {
  const fetchFn = boundedFetch(timers);
  return async (renewal) => {
    const library = await import('@modelcontextprotocol/client');
    const { issuer, resource, refreshToken } = renewal;
    try {
      const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn });
      const tokens = await library.refreshAuthorization(issuer, {
        ...defined({ metadata }),
        clientInformation: clientOf(renewal),
        refreshToken,
        resource,
        fetchFn,
      });
      return tokenOf({ refresh_token: refreshToken, ...tokens }, renewal);
    } catch (error) {
      if (error instanceof library.OAuthError) throw new RenewalRefused(errorText(error), { cause: error });
      throw error;
    }
  };
}

const clientOf = ({ clientId, clientSecret }: Omit<TokenRenewal, 'refreshToken'>) => ({
  client_id: clientId,
  ...defined({ client_secret: clientSecret }),
});

interface OAuthAnswer {
  readonly access_token: string;
  readonly expires_in?: number | undefined;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

function tokenOf(
  { access_token: token, expires_in: seconds, refresh_token: refreshToken, scope }: OAuthAnswer,
  { scope: asked, ...renewal }: Omit<TokenRenewal, 'refreshToken'> & { readonly scope?: string },
): RenewableToken {
  const scopes = (scope ?? asked)?.split(' ').filter((each) => each !== '');
  const expiresIn = seconds === undefined ? undefined : Math.max(1, Math.floor(seconds));
  return {
    token,
    ...defined({ expiresIn, scopes }),
    ...(refreshToken === undefined ? {} : { renewal: { ...renewal, refreshToken } }),
  };
}
