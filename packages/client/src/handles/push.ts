import {
  type ClientToHostRequests,
  type PushDevice,
  ROOT_URI,
  type SubscribePushParams,
  type TestPushResult,
  type UpdatePushParams,
} from '@agenthost/protocol';

type PushMethod =
  | 'x-pushKey'
  | 'x-subscribePush'
  | 'x-listPush'
  | 'x-updatePush'
  | 'x-revokePush'
  | 'x-testPush';

/** What push needs of a client. */
export interface PushPort {
  request<M extends PushMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** The devices that a host sends Web Push to. Only admins see and revoke devices of other tokens. */
export class Push {
  readonly #client: PushPort;

  constructor(client: PushPort) {
    this.#client = client;
  }

  /** The `applicationServerKey` for `pushManager.subscribe`, in base64url. */
  async publicKey(): Promise<string> {
    return (await this.#client.request('x-pushKey', { channel: ROOT_URI })).publicKey;
  }

  /**
   * Registers a browser; resolves with the id of the device. The same endpoint again replaces it. Rejects with `RpcError` -32602 for an
   * endpoint that the host sends nothing to, and -32011 when there are too many devices.
   */
  async subscribe(options: Omit<SubscribePushParams, 'channel'>): Promise<string> {
    return (await this.#client.request('x-subscribePush', { channel: ROOT_URI, ...options })).id;
  }

  /** Lists the devices, oldest first. */
  async list(): Promise<PushDevice[]> {
    return (await this.#client.request('x-listPush', { channel: ROOT_URI })).items;
  }

  /** Changes settings of a device. Rejects with `RpcError` -32008 when no device has this id. */
  async update(options: Omit<UpdatePushParams, 'channel'>): Promise<void> {
    await this.#client.request('x-updatePush', { channel: ROOT_URI, ...options });
  }

  /** Removes a device. Rejects with `RpcError` -32008 when no device has this id. */
  async revoke(id: string): Promise<void> {
    await this.#client.request('x-revokePush', { channel: ROOT_URI, id });
  }

  /**
   * Sends a test to a device; resolves with the status of the push service. Rejects with `RpcError` -32011 when it was not accepted; the
   * message says why.
   */
  test(id: string): Promise<TestPushResult> {
    return this.#client.request('x-testPush', { channel: ROOT_URI, id });
  }
}
