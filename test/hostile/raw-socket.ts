import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection to a host that sends arbitrary bytes. */
export class RawSocket {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #onNews: () => void = () => undefined;
  /** Resolves when the host has closed the connection. */
  readonly ended: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined); // Followed by 'close'.
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#onNews();
    });
    // `once` of `node:events` would reject at a reset, which counts as an end here.
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.#onNews();
        resolve();
      });
    });
  }

  static async open({ wsUrl }: { wsUrl: string }): Promise<RawSocket> {
    const { hostname, port } = new URL(wsUrl);
    const socket = connect(Number(port), hostname);
    const raw = new RawSocket(socket);
    await once(socket, 'connect');
    return raw;
  }

  /** Opens a connection and completes a WebSocket handshake. */
  static async upgraded(address: { wsUrl: string; token: string }): Promise<RawSocket> {
    const raw = await RawSocket.open(address);
    raw.write(upgradeRequest(address));
    await raw.until((bytes) => bytes.includes('\r\n\r\n'));
    if (!raw.text.startsWith('HTTP/1.1 101')) throw new Error(raw.text);
    raw.#received = Buffer.alloc(0);
    return raw;
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  get isEnded(): boolean {
    return this.#socket.destroyed;
  }

  /** Stops reading. */
  pause(): void {
    this.#socket.pause();
  }

  /** Resolves when the system has taken the data, the host has taken nothing for a second, or the connection has ended. */
  async written(data: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1_000);
      this.#socket.write(data, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  write(data: string | Uint8Array): void {
    this.#socket.write(data);
  }

  /** Resolves when the received bytes suffice, or when the host has ended the connection. */
  async until(isEnough: (received: Buffer) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onNews = () => {
        if (isEnough(this.#received) || this.#socket.closed) resolve();
      };
      this.#onNews();
    });
  }

  /** The code in the host's close frame. */
  async closeCode(): Promise<number> {
    const found = (): number => {
      const at = this.#received.indexOf(0x88);
      return at === -1 || this.#received.length < at + 4 ? -1 : this.#received.readUInt16BE(at + 2);
    };
    await this.until(() => found() !== -1);
    return found();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A valid upgrade request. `headers` replace or add; `undefined` removes one. */
export function upgradeRequest(
  { wsUrl, token }: { wsUrl: string; token: string },
  headers: Record<string, string | undefined> = {},
): string {
  const { host } = new URL(wsUrl);
  const all: Record<string, string | undefined> = {
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    Authorization: `Bearer ${token}`,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return `GET /ahp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** One frame by RFC 6455, or an invalid variant of it. */
export function frame(
  opcode: number,
  payload: Uint8Array | string,
  {
    fin = true,
    reserved = 0,
    isMasked = true,
    length,
  }: { fin?: boolean; reserved?: number; isMasked?: boolean; length?: bigint } = {},
): Buffer {
  const body = Buffer.from(payload);
  const size = length ?? BigInt(body.length);
  const first = (fin ? 0x80 : 0) | reserved | opcode;
  const masked = isMasked ? 0x80 : 0;
  const head = size < 126n ? Buffer.from([first, masked | Number(size)]) : Buffer.alloc(10);
  if (size >= 126n) {
    head[0] = first;
    head[1] = masked | 127;
    head.writeBigUInt64BE(size, 2);
  }
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), body]);
}
