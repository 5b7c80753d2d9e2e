import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A client without code of our libraries: sends requests and gives each frame as it came. */
export class WireClient {
  readonly socket: WebSocket;
  readonly #pending = new Map<number, (message: { result?: never; error?: { message: string } }) => void>();
  #lastId = 0;
  #lastSeq = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  /** Connects. With `clientId` it also initializes, at `version`. */
  static async connect(url: string, clientId?: string, version = '1.0.0'): Promise<WireClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
    const client = new WireClient(socket);
    await once(socket, 'open');
    socket.on('message', (data) => client.#settle(String(data)));
    if (clientId !== undefined) {
      await client.request('initialize', { channel: 'ahp-root://', protocolVersions: [version], clientId });
    }
    return client;
  }

  request<T>(method: string, params: object): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as T) : reject(new Error(`${method}: ${error.message}`)),
      );
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  dispatch(channel: string, action: object): void {
    this.#lastSeq += 1;
    const params = { channel, clientSeq: this.#lastSeq, action };
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params }));
  }

  /** Passes every later frame to `onFrame` alone. */
  takeOver(onFrame: (frame: Buffer) => void): void {
    this.socket.removeAllListeners('message');
    this.socket.on('message', onFrame);
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }

  #settle(frame: string): void {
    const message = JSON.parse(frame);
    if (message.id === undefined) return;
    this.#pending.get(message.id)?.(message);
    this.#pending.delete(message.id);
  }
}

/** Makes a session of the demo agent. Resolves with its URI and that of its chat. */
export async function newSession(
  client: WireClient,
  workingDirectory: string,
): Promise<{ session: string; chat: string }> {
  const session = `ahp-session:/${crypto.randomUUID()}`;
  await client.request('createSession', { channel: session, workingDirectories: [workingDirectory] });
  const { snapshot } = await client.request<{ snapshot: { state: { defaultChat: string } } }>('subscribe', {
    channel: session,
  });
  client.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: session } }));
  return { session, chat: snapshot.state.defaultChat };
}
