import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';

/** How a {@link NodeProxy} passes requests on. */
export interface ProxyOptions {
  /** Port of the host on loopback. */
  readonly to: number;
  /** Whether the proxy removes `/agents` from paths. */
  readonly removesPrefix: boolean;
  /** Forwarded headers that the proxy sets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A reverse proxy of HTTP and WebSocket on loopback, as small as it can be. */
export class NodeProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  #port = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((asked, response) => {
      const passed = this.#pass(asked);
      passed.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      asked.pipe(passed);
    });
    this.#server.on('upgrade', (asked: IncomingMessage, socket, head: Buffer) => {
      const passed = this.#pass(asked);
      passed.on('upgrade', ({ rawHeaders }: IncomingMessage, target, first: Buffer) => {
        const fields = rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
        );
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`);
        socket.write(first);
        target.write(head);
        socket.on('error', () => target.destroy());
        target.on('error', () => socket.destroy());
        socket.pipe(target).pipe(socket);
      });
      passed.on('response', (answer) => {
        socket.end(`HTTP/1.1 ${answer.statusCode} x\r\nconnection: close\r\n\r\n`);
        answer.resume();
      });
      passed.end();
    });
  }

  static async start(options: ProxyOptions): Promise<NodeProxy> {
    const proxy = new NodeProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    const address = proxy.#server.address();
    proxy.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #pass(asked: IncomingMessage): ReturnType<typeof request> {
    const { to, removesPrefix, headers } = this.#options;
    const path = removesPrefix ? (asked.url ?? '').replace(/^\/agents/, '') || '/' : asked.url;
    return request({
      host: '127.0.0.1',
      port: to,
      path,
      method: asked.method,
      headers: { ...asked.headers, ...headers },
      agent: false,
    });
  }
}
