import {
  type AccessToken,
  type ClientToHostRequests,
  type CreateTokenParams,
  type CreateTokenResult,
  ROOT_URI,
  type SessionRole,
  type SessionShare,
  type URI,
} from '@agenthost/protocol';

type TokenMethod =
  | 'x-createToken'
  | 'x-listTokens'
  | 'x-revokeToken'
  | 'x-setSessionRole'
  | 'x-listSessionRoles';

/** What tokens need of a client. */
export interface TokensPort {
  request<M extends TokenMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/**
 * The access tokens of one host, and the roles of people in sessions. Only admins may use them; the host refuses others with `RpcError` -32009.
 * Admins of a session may use its roles.
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

  /**
   * Gives a person a role in a session; without a role it ends. Counts for all tokens of the person at once. Rejects with `RpcError` -32001 when
   * there is no such session.
   */
  async setRole(session: URI, person: string, role?: SessionRole): Promise<void> {
    await this.#client.request('x-setSessionRole', {
      channel: ROOT_URI,
      session,
      person,
      ...(role === undefined ? {} : { role }),
    });
  }

  /** Lists the roles of people, in one session or in all. */
  async listRoles(session?: URI): Promise<SessionShare[]> {
    const params = { channel: ROOT_URI, ...(session === undefined ? {} : { session }) } as const;
    return (await this.#client.request('x-listSessionRoles', params)).items;
  }
}
