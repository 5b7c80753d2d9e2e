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

/** The access tokens of one host, for its admins: everybody else is refused with `RpcError` -32009. */
export class Tokens {
  readonly #client: TokensPort;

  constructor(client: TokensPort) {
    this.#client = client;
  }

  /** All but the owner's, the oldest first, expired ones too. */
  async list(): Promise<AccessToken[]> {
    return (await this.#client.request('x-listTokens', { channel: ROOT_URI })).items;
  }

  /** Makes one. Nobody tells its secret again. Rejects with `RpcError` -32010 when its name is taken. */
  create(options: Omit<CreateTokenParams, 'channel'> = {}): Promise<CreateTokenResult> {
    return this.#client.request('x-createToken', { channel: ROOT_URI, ...options });
  }

  /** Ends one, and all connections that came by it. Rejects with `RpcError` -32008 when there is none of that id. */
  async revoke(id: string): Promise<void> {
    await this.#client.request('x-revokeToken', { channel: ROOT_URI, id });
  }
}
