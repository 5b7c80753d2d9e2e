import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** What an ID token differs in from a right one. */
export interface Oddity {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: 'none' | 'RS256';
  /** Signs with a key that the provider does not publish. */
  readonly isForged?: boolean;
}

interface Authorization {
  readonly params: URLSearchParams;
  readonly oddity: Oddity;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A small OpenID Connect provider on this machine. The test plays the person: `authorize` takes the place of the provider's page. */
export class OidcProvider {
  readonly issuer: string;
  /** Bodies of the requests for tokens. */
  readonly asked: URLSearchParams[] = [];
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  readonly #other = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  readonly #codes = new Map<string, Authorization>();

  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  static async start(): Promise<OidcProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const provider = new OidcProvider(`http://127.0.0.1:${address.port}`, server);
    server.on('request', (request, response) => {
      // A person who agrees at once.
      if (request.url?.startsWith('/authorize?') === true) {
        response.writeHead(303, { location: provider.#wayBack(request.url) }).end();
        return;
      }
      void provider.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    return provider;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #wayBack(path: string): string {
    const url = new URL(path, this.issuer);
    return `${url.searchParams.get('redirect_uri') ?? ''}?${this.authorize(url.href)}`;
  }

  /** The query of the redirect, after the person has agreed. `location`: the address that the host redirected the browser to. */
  authorize(location: string, oddity: Oddity = {}): string {
    const { searchParams: params } = new URL(location);
    const code = `code-${this.#codes.size + 1}`;
    this.#codes.set(code, { params, oddity });
    return new URLSearchParams({ code, state: params.get('state') ?? '', iss: this.issuer }).toString();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const { issuer } = this;
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/jwks`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            code_challenge_methods_supported: ['S256'],
            authorization_response_iss_parameter_supported: true,
          },
        };
      case '/jwks':
        return {
          status: 200,
          body: {
            keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }],
          },
        };
      case '/token':
        return this.#token(await bodyOf(request));
      default:
        return { status: 404, body: {} };
    }
  }

  #token(asked: URLSearchParams): { status: number; body: object } {
    this.asked.push(asked);
    const code = asked.get('code') ?? '';
    const authorization = this.#codes.get(code);
    this.#codes.delete(code);
    const { params, oddity = {} } = authorization ?? {};
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      params === undefined ||
      params.get('code_challenge') !== challenge ||
      params.get('redirect_uri') !== asked.get('redirect_uri')
    )
      return { status: 400, body: { error: 'invalid_grant' } };
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      aud: params.get('client_id'),
      sub: 'subject-1',
      iat: now,
      exp: now + 300,
      nonce: params.get('nonce'),
      email: 'ada@example.org',
      email_verified: true,
      ...oddity.claims,
    };
    return {
      status: 200,
      body: { access_token: 'x', token_type: 'Bearer', expires_in: 300, id_token: this.#jwt(claims, oddity) },
    };
  }

  #jwt(claims: object, { alg = 'RS256', isForged = false }: Oddity): string {
    const content = `${base64({ alg, kid: 'k', typ: 'JWT' })}.${base64(claims)}`;
    if (alg === 'none') return `${content}.`;
    const key: KeyObject = isForged ? this.#other.privateKey : this.#keys.privateKey;
    return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return new URLSearchParams(body);
}
