import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP port in front of a server's socket, which can stop to forward, as a firewall does that drops packets. */
export class TcpProxy {
  readonly #server: Server;
  /** Path of the socket that new connections go to. */
  target: string;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isFrozen = false;

  private constructor(target: string) {
    this.target = target;
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      const pair = [socket, connect(this.target)] as const;
      const [left, right] = pair;
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [right, left]] as const) {
        from.on('data', (data) => to.write(data));
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#pairs.delete(pair);
          to.destroy();
        });
      }
      if (this.#isFrozen) right.pause();
      else left.resume();
    });
  }

  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `postgres://agenthost@127.0.0.1:${address.port}/postgres`;
  }

  /** Keeps all bytes from now on, also those of new connections. */
  freeze(): void {
    this.#isFrozen = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** Cuts all connections. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
