import { type ClientToHostRequests, type ListGrantsResult, ROOT_URI } from '@agenthost/protocol';

type GrantMethod = 'x-listGrants' | 'x-answerGrant' | 'x-revokeGrant';

/** The requests of a client that the handle of grants makes. */
export interface GrantsPort {
  request<M extends GrantMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  onNotification(method: 'x-grantsChanged', listener: () => void): () => void;
}

/** The access to files outside of working directories that clients have or ask for; see `Files.request`. */
export class Grants {
  readonly #client: GrantsPort;

  constructor(client: GrantsPort) {
    this.#client = client;
  }

  /** Lists granted access and open requests, oldest first: of all clients for admins, of this client for others. */
  async list(): Promise<Pick<ListGrantsResult, 'items' | 'requests'>> {
    const { items, requests } = await this.#client.request('x-listGrants', { channel: ROOT_URI });
    return { items, requests };
  }

  /**
   * Answers an open request. The first answer counts. Rejects with `RpcError` -32008 when the request is answered or has ended, and -32009
   * without the scope `admin`.
   */
  async answer(id: string, isGranted: boolean): Promise<void> {
    await this.#client.request('x-answerGrant', { channel: ROOT_URI, id, isGranted });
  }

  /** Ends granted access at once. Rejects with `RpcError` -32008 when there is no such grant. */
  async revoke(id: string): Promise<void> {
    await this.#client.request('x-revokeGrant', { channel: ROOT_URI, id });
  }

  /**
   * Calls `listener` when the lists have changed. The host tells connections that have called `list`: call it again after a reconnect.
   * Returns a function that removes the listener.
   */
  onChange(listener: () => void): () => void {
    return this.#client.onNotification('x-grantsChanged', () => listener());
  }
}
