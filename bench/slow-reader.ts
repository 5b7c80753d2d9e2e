import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Size of one read. Data that the operating system has received waits in its buffers. */
const READ_BYTES = 100;

/** A client that reads at most this many bytes a second from its socket. */
export class SlowReader {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | undefined;
  #lastId = 0;

  private constructor(socket: Socket, timer: NodeJS.Timeout | undefined) {
    this.#socket = socket;
    this.#timer = timer;
  }

  /** Connects and initializes. With `bytesPerSecond` 0 it never reads. */
  static async connect(url: string, clientId: string, bytesPerSecond: number): Promise<SlowReader> {
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: Buffer.alloc(READ_BYTES),
        callback: () => false,
      },
    });
    // The host may cut this client off.
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    const timer =
      bytesPerSecond === 0
        ? undefined
        : setInterval(() => socket.resume(), (READ_BYTES / bytesPerSecond) * 1_000);
    socket.on('close', () => clearInterval(timer));
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const reader = new SlowReader(socket, timer);
    reader.ask('initialize', { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId });
    return reader;
  }

  /** False once the host has closed the connection. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Sends a request and does not wait for its answer. */
  ask(method: string, params: object): void {
    this.#lastId += 1;
    this.#socket.write(frameOf(JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params })));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

/** A masked text frame with a mask of zeros. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length > 65_535) throw new Error('too long for this');
  const head =
    body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), body]);
}
