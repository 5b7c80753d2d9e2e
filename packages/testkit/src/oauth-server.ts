import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Grant {
  readonly client: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * A small authorization server on loopback, for tests: OAuth 2.1 with PKCE, registration of clients, device codes and refresh tokens. Its page agrees
 * at once. Access tokens are `access-1`, `access-2`, ….
 */
export class OAuthServer {
  readonly #server: Server;
  readonly #clients = new Set<string>();
  readonly #grants = new Map<string, Grant>();
  /** By device code: whether the person has agreed. */
  readonly #devices = new Map<string, { readonly userCode: string; isAgreed: boolean }>();
  readonly #refreshTokens = new Set<string>();
  #count = 0;
  /** Forms that its token endpoint got, oldest first. */
  readonly forms: Record<string, string>[] = [];
  /** Lifetime of tokens in seconds. */
  lifetimeSeconds = 60;
  /** Time between two questions about a device code, in seconds. */
  intervalSeconds = 2;
  /** False: clients must be registered by hand, and `registered` is the only one. */
  registersClients = true;
  /** What its page answers with instead of a code. */
  refusal: string | undefined;
  /** False: no refresh token is taken any more. */
  renews = true;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  static async start(): Promise<OAuthServer> {
    const made = new OAuthServer();
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** `http://127.0.0.1:<port>`. */
  get url(): string {
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- it listens on a port
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Agrees to all open device codes. */
  agree(): void {
    for (const device of this.#devices.values()) device.isAgreed = true;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await read(request);
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(200, this.#metadata);
      case '/register': {
        const id = randomUUID();
        this.#clients.add(id);
        return json(201, { ...JSON.parse(body), client_id: id });
      }
      case '/authorize':
        return this.#authorize(url.searchParams, response);
      case '/device': {
        const [device, userCode] = [randomUUID(), 'ABCD-EFGH'];
        this.#devices.set(device, { userCode, isAgreed: false });
        return json(200, {
          device_code: device,
          user_code: userCode,
          verification_uri: `${this.url}/activate`,
          expires_in: 60,
          interval: this.intervalSeconds,
        });
      }
      case '/token': {
        const form = Object.fromEntries(new URLSearchParams(body));
        this.forms.push(form);
        const error = this.#fault(form);
        return error === undefined ? json(200, this.#tokens()) : json(400, { error });
      }
      default:
        return json(404, {});
    }
  }

  get #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      device_authorization_endpoint: `${this.url}/device`,
      ...(this.registersClients ? { registration_endpoint: `${this.url}/register` } : {}),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const get = (name: string): string => query.get(name) ?? '';
    const target = new URL(get('redirect_uri'));
    target.searchParams.set('state', get('state'));
    target.searchParams.set('iss', this.url);
    if (this.refusal === undefined) {
      const code = randomUUID();
      const [client, challenge] = [get('client_id'), get('code_challenge')];
      this.#grants.set(code, { client, challenge, redirectUri: get('redirect_uri') });
      target.searchParams.set('code', code);
    } else target.searchParams.set('error', this.refusal);
    response.writeHead(302, { location: target.href }).end();
  }

  #fault(form: Record<string, string>): string | undefined {
    const { grant_type: type, client_id: client = '' } = form;
    if (!this.#clients.has(client) && client !== 'registered') return 'invalid_client';
    if (type === 'refresh_token') {
      const isKnown = this.renews && this.#refreshTokens.delete(form['refresh_token'] ?? '');
      return isKnown ? undefined : 'invalid_grant';
    }
    if (type === 'authorization_code') {
      const grant = this.#grants.get(form['code'] ?? '');
      this.#grants.delete(form['code'] ?? '');
      const challenge = createHash('sha256')
        .update(form['code_verifier'] ?? '')
        .digest('base64url');
      const isRight =
        grant?.client === client &&
        grant.challenge === challenge &&
        grant.redirectUri === form['redirect_uri'];
      return isRight ? undefined : 'invalid_grant';
    }
    const device = this.#devices.get(form['device_code'] ?? '');
    if (device === undefined) return 'expired_token';
    return device.isAgreed ? undefined : 'authorization_pending';
  }

  #tokens(): object {
    this.#count += 1;
    const refresh = `refresh-${this.#count}`;
    this.#refreshTokens.add(refresh);
    return {
      access_token: `access-${this.#count}`,
      token_type: 'Bearer',
      expires_in: this.lifetimeSeconds,
      refresh_token: refresh,
      scope: 'read write',
    };
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
