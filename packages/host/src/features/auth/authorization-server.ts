import type { McpAuthRequirement } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** The authorization server, or the person, refused. The message is a sentence for people. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/** What a sign-in asks for. */
export interface WantedToken {
  /** Identifier of the resource, as RFC 8707 sends it. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** URL of the authorization server. */
  readonly server: string;
  /** A registered client. Absent: one is registered. */
  readonly client?: McpAuthRequirement['oauthClient'];
}

/** A token, and what renews it. */
export interface GrantedToken {
  readonly token: string;
  readonly scopes?: readonly string[];
  /** Seconds. Absent: unknown. */
  readonly expiresIn?: number;
  readonly refreshToken?: string;
}

/** A redirect that a person goes through, and the secret that redeems its code (RFC 7636). */
export interface Redirect {
  readonly url: string;
  readonly verifier: string;
}

/** A device code (RFC 8628). */
export interface DeviceCode {
  readonly url: string;
  readonly userCode: string;
  readonly deviceCode: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Gets tokens from one authorization server: with a redirect and PKCE, or with a device code. Every method rejects with `SignInRefused` when the server
 * refuses, cannot be reached, or publishes something that it should not.
 */
export class AuthorizationServer {
  readonly #wanted: WantedToken;
  readonly #metadata: AuthorizationServerMetadata | undefined;
  readonly #client: OAuthClientInformationMixed;
  readonly #redirectUri: string | undefined;
  readonly #fetch: FetchLike;

  private constructor(parts: {
    wanted: WantedToken;
    metadata: AuthorizationServerMetadata | undefined;
    client: OAuthClientInformationMixed;
    redirectUri: string | undefined;
    fetch: FetchLike;
  }) {
    this.#wanted = parts.wanted;
    this.#metadata = parts.metadata;
    this.#client = parts.client;
    this.#redirectUri = parts.redirectUri;
    this.#fetch = parts.fetch;
  }

  /** Reads what the server publishes, and registers a client with it unless one is given. Without a `redirectUri` the client uses device codes. */
  static async open(
    wanted: WantedToken,
    redirectUri: string | undefined,
    fetch: FetchLike,
  ): Promise<AuthorizationServer> {
    const { discoverAuthorizationServerMetadata, registerClient } = await import(
      '@modelcontextprotocol/client'
    );
    return answered(wanted.server, async () => {
      if (!isSecure(wanted.server)) throw new SignInRefused(`${wanted.server} is no https: URL`);
      const metadata = await discoverAuthorizationServerMetadata(wanted.server, { fetchFn: fetch });
      if (redirectUri === undefined && deviceEndpointOf(metadata) === undefined)
        throw new SignInRefused(
          `${wanted.server} has no device codes: sign in with a browser that can return to this client`,
        );
      const { client: given, scopes } = wanted;
      if (given === undefined && metadata !== undefined && metadata.registration_endpoint === undefined)
        throw new SignInRefused(`${wanted.server} registers no clients: give the id of a registered client`);
      const client: OAuthClientInformationMixed =
        given === undefined
          ? await registerClient(wanted.server, {
              ...defined({ metadata }),
              fetchFn: fetch,
              clientMetadata: {
                client_name: 'agenthost',
                redirect_uris: redirectUri === undefined ? [] : [redirectUri],
                grant_types:
                  redirectUri === undefined
                    ? [DEVICE_GRANT, 'refresh_token']
                    : ['authorization_code', 'refresh_token'],
                response_types: redirectUri === undefined ? [] : ['code'],
                token_endpoint_auth_method: 'none',
                ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
              },
            })
          : { client_id: given.clientId, ...defined({ client_secret: given.clientSecret }) };
      return new AuthorizationServer({ wanted, metadata, client, redirectUri, fetch });
    });
  }

  /** The page of the server, which returns the browser with `state` and a code. */
  async redirect(state: string): Promise<Redirect> {
    const { startAuthorization } = await import('@modelcontextprotocol/client');
    return this.#answered(async () => {
      const { authorizationUrl, codeVerifier } = await startAuthorization(this.#wanted.server, {
        ...this.#basics,
        redirectUrl: this.#redirectUri ?? '',
        state,
        ...defined({ scope: this.#scope }),
      });
      return { url: webUrl(authorizationUrl.href), verifier: codeVerifier };
    });
  }

  /** Exchanges the code of a redirect. */
  async redeem({
    code,
    iss,
    verifier,
  }: {
    code: string;
    iss: string | undefined;
    verifier: string;
  }): Promise<GrantedToken> {
    const { exchangeAuthorization } = await import('@modelcontextprotocol/client');
    return this.#answered(async () =>
      granted(
        await exchangeAuthorization(this.#wanted.server, {
          ...this.#basics,
          authorizationCode: code,
          codeVerifier: verifier,
          redirectUri: this.#redirectUri ?? '',
          fetchFn: this.#fetch,
          ...defined({ iss }),
        }),
      ),
    );
  }

  /** A code that the person enters on a page of the server. */
  device(): Promise<DeviceCode> {
    return this.#answered(async () => {
      const body = await this.#post(deviceEndpointOf(this.#metadata), {
        client_id: this.#client.client_id,
        resource: this.#wanted.resource,
        ...defined({ scope: this.#scope }),
      });
      const { device_code: deviceCode, user_code: userCode } = body;
      const url = body['verification_uri_complete'] ?? body['verification_uri'];
      if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof url !== 'string')
        throw new SignInRefused(`${this.#wanted.server} answered without a device code${errorOf(body)}`);
      return {
        url: webUrl(url),
        userCode,
        deviceCode,
        expiresInSeconds: seconds(body['expires_in']) ?? 600,
        intervalSeconds: seconds(body['interval']) ?? 5,
      };
    });
  }

  /** Asks once whether the person has agreed. */
  poll(deviceCode: string): Promise<GrantedToken | 'pending' | 'slower'> {
    return this.#answered(async () => {
      const body = await this.#post(this.#metadata?.token_endpoint, {
        grant_type: DEVICE_GRANT,
        device_code: deviceCode,
        client_id: this.#client.client_id,
      });
      if (body['error'] === 'authorization_pending') return 'pending';
      if (body['error'] === 'slow_down') return 'slower';
      const { access_token, token_type, expires_in, scope, refresh_token } = body;
      if (typeof access_token !== 'string' || typeof token_type !== 'string')
        throw new SignInRefused(`${this.#wanted.server} refused${errorOf(body)}`);
      return granted({
        access_token,
        token_type,
        ...defined({
          expires_in: seconds(expires_in),
          scope: textOf(scope),
          refresh_token: textOf(refresh_token),
        }),
      });
    });
  }

  /** A new token for an expired one. */
  async renew(refreshToken: string): Promise<GrantedToken> {
    const { refreshAuthorization } = await import('@modelcontextprotocol/client');
    return this.#answered(async () =>
      granted(
        await refreshAuthorization(this.#wanted.server, {
          ...this.#basics,
          refreshToken,
          fetchFn: this.#fetch,
        }),
      ),
    );
  }

  get #basics() {
    return {
      clientInformation: this.#client,
      resource: this.#wanted.resource,
      ...defined({ metadata: this.#metadata }),
    };
  }

  get #scope(): string | undefined {
    return this.#wanted.scopes.length === 0 ? undefined : this.#wanted.scopes.join(' ');
  }

  async #post(endpoint: unknown, form: Record<string, string>): Promise<Record<string, unknown>> {
    if (typeof endpoint !== 'string' || !isSecure(endpoint))
      throw new SignInRefused(`${this.#wanted.server} names no https: endpoint for device codes`);
    const { client_secret: secret } = this.#client;
    const body = new URLSearchParams({ ...form, ...defined({ client_secret: secret }) });
    const response = await this.#fetch(endpoint, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    });
    const parsed: unknown = await response.json();
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  }

  #answered<T>(ask: () => Promise<T>): Promise<T> {
    return answered(this.#wanted.server, ask);
  }
}

async function answered<T>(server: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof SignInRefused) throw cause;
    throw new SignInRefused(`${server}: ${errorText(cause).slice(0, 500)}`, { cause });
  }
}

function granted({
  access_token: token,
  token_type: type,
  expires_in: expiresIn,
  scope,
  refresh_token: refreshToken,
}: OAuthTokens): GrantedToken {
  if (type.toLowerCase() !== 'bearer')
    throw new SignInRefused(`the server gave a token of the type ${type}, not Bearer`);
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw new SignInRefused('the server gave a token that no header can carry');
  const lifetime = seconds(expiresIn);
  return {
    token,
    ...defined({
      expiresIn: lifetime,
      refreshToken,
      scopes: scope?.split(' ').filter((each) => each !== ''),
    }),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const seconds = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 1 ? Math.floor(value) : undefined;

function deviceEndpointOf(metadata: AuthorizationServerMetadata | undefined): unknown {
  return metadata === undefined ? undefined : Reflect.get(metadata, 'device_authorization_endpoint');
}

/** `: access_denied (…)`, as far as the server says. */
function errorOf(body: Record<string, unknown>): string {
  const [error, description] = [body['error'], body['error_description']];
  if (typeof error !== 'string') return '';
  return `: ${error}${typeof description === 'string' ? ` (${description})` : ''}`.slice(0, 500);
}

/** Secrets go over TLS, or stay on this machine. */
function isSecure(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
  );
}

/** A page that clients open. Throws for another scheme, which could start a program. */
function webUrl(text: string): string {
  if (!isSecure(text)) throw new SignInRefused('the server names a page that is no https: URL');
  return text;
}
