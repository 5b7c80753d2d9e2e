import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { hasCode } from '@agenthost/protocol/values';

/** Loopback names. A host that listens on one of them answers requests for both. Browsers keep the sign-ins of the two apart. */
const LOOPBACK = ['127.0.0.1', '[::1]'];

/**
 * A port of this machine that this process holds until `dispose`, so that no other user can listen on it. Forwards connections to a socket file. Closes
 * them while there is none.
 */
export class LoopbackPort {
  /** The address that the port is open at. IPv6 addresses have brackets. */
  readonly host: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #socketFile: string | undefined;

  /** Opens the port at the first loopback address where it is free; `undefined` if there is none. */
  static async open(port: number): Promise<LoopbackPort | undefined> {
    for (const host of LOOPBACK) {
      const server = createServer({ allowHalfOpen: true });
      try {
        server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port, exclusive: true });
        await once(server, 'listening');
        return new LoopbackPort(host, server);
      } catch (error) {
        if (!hasCode(error, 'EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'EAFNOSUPPORT')) throw error;
      }
    }
    return undefined;
  }

  private constructor(host: string, server: Server) {
    this.host = host;
    this.#server = server;
    server.on('connection', (socket) => this.#forward(socket));
    // A connection that could not be accepted is lost. The port stays open.
    server.on('error', () => undefined);
  }

  /** Forwards new connections to a socket file. `undefined`: closes all connections, also new ones. */
  forwardTo(socketFile: string | undefined): void {
    this.#socketFile = socketFile;
    if (socketFile === undefined) for (const socket of this.#sockets) socket.destroy();
  }

  /** Closes the port and its connections. */
  dispose(): void {
    this.#server.close();
    this.forwardTo(undefined);
  }

  #forward(socket: Socket): void {
    if (this.#socketFile === undefined) {
      socket.destroy();
      return;
    }
    const channel = createConnection({ path: this.#socketFile, allowHalfOpen: true });
    for (const [side, other] of [
      [socket, channel],
      [channel, socket],
    ] as const) {
      this.#sockets.add(side);
      // `close` reports it too.
      side.on('error', () => undefined);
      side.once('close', (hasFailed) => {
        this.#sockets.delete(side);
        // Else the pipe ends the other side, after its last bytes.
        if (hasFailed) other.destroy();
      });
      side.pipe(other);
    }
  }
}
