import {
  type AccessToken,
  type ClientToHostRequests,
  type CreateTokenParams,
  type CreateTokenResult,
  ROOT_URI,
} from '@agenthost/protocol';

type TokenMethod = 'x-createToken' | 'x-listTokens' | 'x-revokeToken';

/** What tokens need of a client. */
export interface TokensPort {
  request<M extends TokenMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/**
 * The access tokens of one host. Only admins may use them; the host refuses others with `RpcError` -32009.
 */
export class Tokens {
  readonly #client: TokensPort;

  constructor(client: TokensPort) {
    this.#client = client;
  }

  /** Lists all tokens except the owner's, oldest first, including expired ones. */
  async list(): Promise<AccessToken[]> {
    return (await this.#client.request('x-listTokens', { channel: ROOT_URI })).items;
  }

  /**
   * Creates a token. Its secret is in this result only. Rejects with `RpcError` -32010 when the name is
   * taken.
   */
  create(options: Omit<CreateTokenParams, 'channel'> = {}): Promise<CreateTokenResult> {
    return this.#client.request('x-createToken', { channel: ROOT_URI, ...options });
  }

  /**
   * Revokes a token and closes all connections that used it. Rejects with `RpcError` -32008 when no token has
   * this id.
   */
  async revoke(id: string): Promise<void> {
    await this.#client.request('x-revokeToken', { channel: ROOT_URI, id });
  }
}
