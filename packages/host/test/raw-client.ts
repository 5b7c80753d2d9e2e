import type {
  ActionEnvelope,
  ClientToHostRequests,
  InitializeResult,
  ReconnectResult,
  Snapshot,
  StateAction,
} from '@agenthost/protocol';
import type { CloseInfo } from '@agenthost/rpc';
import type { Link } from '@agenthost/testkit';

/** A frame of the host, unchanged. */
export interface RawFrame {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: ActionEnvelope & Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An error response of the host. */
export class RawError extends Error {
  override readonly name = 'RawError';
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: NonNullable<RawFrame['error']>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

type Method = keyof ClientToHostRequests;

/** Sends raw JSON-RPC on one link, and keeps every frame in order of arrival. */
export class RawClient {
  readonly link: Link;
  readonly clientId: string;
  readonly frames: RawFrame[] = [];
  closed: CloseInfo | undefined;
  readonly #pump: (until: () => boolean) => Promise<void>;
  #nextId = 1;
  #clientSeq = 0;

  constructor(link: Link, clientId: string, pump: (until: () => boolean) => Promise<void>) {
    this.link = link;
    this.clientId = clientId;
    this.#pump = pump;
    link.client.start({
      onFrame: (text) => this.frames.push(JSON.parse(text)),
      onClose: (info) => {
        this.closed = info;
      },
    });
  }

  /** Sends any value; a string is sent unchanged. */
  send(frame: string | object): void {
    this.link.client.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a request without waiting; returns its id. */
  ask(method: string, params: unknown): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.send({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  /** The answer to a request, if it has arrived. */
  answerTo(id: number): RawFrame | undefined {
    return this.frames.find((frame) => frame.id === id);
  }

  /** Sends a request and pumps until it is answered. Rejects with `RawError`. */
  request<M extends Method>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']> {
    return this.raw(method, params);
  }

  /** The same with unchecked params. */
  async raw<R>(method: string, params: unknown): Promise<R> {
    return this.answered(this.ask(method, params));
  }

  /** Pumps until a request that was sent is answered. */
  async answered<R>(id: number): Promise<R> {
    await this.#pump(() => this.answerTo(id) !== undefined || this.closed !== undefined);
    const frame = this.answerTo(id);
    if (frame === undefined) throw new Error(`closed with ${this.closed?.code} before the answer`);
    if (frame.error !== undefined) throw new RawError(frame.error);
    return resultOf<R>(frame);
  }

  initialize(params: Partial<ClientToHostRequests['initialize']['params']> = {}): Promise<InitializeResult> {
    return this.request('initialize', {
      channel: 'ahp-root://',
      protocolVersions: ['1.0.0'],
      clientId: this.clientId,
      ...params,
    });
  }

  reconnect(
    lastSeenServerSeq: number,
    subscriptions: string[],
    extra: { 'x-epoch'?: string } = {},
  ): Promise<ReconnectResult> {
    return this.request('reconnect', {
      channel: 'ahp-root://',
      clientId: this.clientId,
      lastSeenServerSeq,
      subscriptions,
      ...extra,
    });
  }

  async subscribe(
    channel: string,
    options: Omit<ClientToHostRequests['subscribe']['params'], 'channel'> = {},
  ): Promise<Snapshot> {
    const { snapshot } = await this.request('subscribe', { channel, ...options });
    if (snapshot === undefined) throw new Error(`${channel} has no state`);
    return snapshot;
  }

  /** Resolves when everything sent before has been settled [WIRE-4]. */
  async ping(): Promise<void> {
    await this.request('ping', { channel: 'ahp-root://' });
  }

  /** Dispatches without waiting. Returns the `clientSeq`. The action may be invalid. */
  dispatch(channel: string, action: StateAction | object, clientSeq?: number): number {
    this.#clientSeq = clientSeq ?? this.#clientSeq + 1;
    this.send({
      jsonrpc: '2.0',
      method: 'dispatchAction',
      params: { channel, clientSeq: this.#clientSeq, action },
    });
    return this.#clientSeq;
  }

  /** Dispatches and waits for the echo; `undefined` when there is none. */
  async act(channel: string, action: StateAction | object): Promise<ActionEnvelope | undefined> {
    const clientSeq = this.dispatch(channel, action);
    await this.ping();
    return this.echoOf(clientSeq);
  }

  /** The first answer to one of this client's own dispatches. */
  echoOf(clientSeq: number): ActionEnvelope | undefined {
    return this.envelopes().find(
      ({ origin }) => origin?.clientId === this.clientId && origin.clientSeq === clientSeq,
    );
  }

  /** Envelopes received so far, of one channel or all. */
  envelopes(channel?: string): ActionEnvelope[] {
    return this.frames.flatMap(({ method, params }) =>
      method === 'action' && params !== undefined && (channel === undefined || params.channel === channel)
        ? [params]
        : [],
    );
  }

  /** Types of the actions received so far, of one channel or all. */
  types(channel?: string): string[] {
    return this.envelopes(channel).map(({ action }) => action.type);
  }

  /** Notifications other than actions. */
  notifications(method: string): unknown[] {
    return this.frames.filter((frame) => frame.method === method).map(({ params }) => params);
  }

  /** Forgets the frames received so far. */
  clear(): void {
    this.frames.length = 0;
  }
}

// The test checks the host's answer; its type is the method's by contract.
function resultOf<R>(frame: RawFrame): R {
  const { result }: { result: R } = JSON.parse(JSON.stringify(frame));
  return result;
}
