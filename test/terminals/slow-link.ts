import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Speed of a link, in each direction. */
export interface LinkSpeed {
  readonly delayMs: number;
  readonly bytesPerSecond: number;
}

/** Size of one packet. Cuts happen between packets. */
const PACKET_BYTES = 1_400;
/** Size of the queue of a slow link. A full queue blocks its sender. */
const BUFFER_BYTES = 64 * 1024;

/** A slow link with high latency to a port of this machine. Tests can cut it. */
export class SlowLink {
  readonly #port: number;
  readonly #speed: LinkSpeed;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #cutAfter: { bytes: number; readonly done: () => void } | undefined;

  /** Opens a link to `port`. Rejects with the system's error. */
  static async open(port: number, speed: LinkSpeed): Promise<SlowLink> {
    const link = new SlowLink(port, speed);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  private constructor(port: number, speed: LinkSpeed) {
    this.#port = port;
    this.#speed = speed;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Port of the near end. */
  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the link is not open');
    return address.port;
  }

  /** Ends every connection with all data in flight, and refuses new ones until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Cuts the link when this many more bytes have left the far end. Resolves then. */
  cutAfter(bytes: number): Promise<void> {
    return new Promise((done) => {
      this.#cutAfter = { bytes, done };
    });
  }

  /** Accepts connections again. */
  mend(): void {
    this.#isCut = false;
  }

  /** Cuts the link permanently. */
  async close(): Promise<void> {
    this.cut();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #accept(near: Socket): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      // `close` follows every error, and also ends the other side.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      carry(socket, other, this.#speed, socket === near ? (bytes) => this.#arrived(bytes) : undefined);
    }
  }

  #arrived(bytes: number): void {
    const planned = this.#cutAfter;
    if (planned === undefined) return;
    planned.bytes -= bytes;
    if (planned.bytes > 0) return;
    this.#cutAfter = undefined;
    this.cut();
    planned.done();
  }
}

/** Passes data from one socket to another, delayed and in order. */
function carry(
  from: Socket,
  to: Socket,
  { delayMs, bytesPerSecond }: LinkSpeed,
  arrived?: (bytes: number) => void,
): void {
  /** `end` is always the last item. */
  const waiting: (Buffer | 'end')[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let waitingBytes = 0;
  let freeAt = 0;

  const deliver = (): void => {
    const packet = waiting.shift();
    if (packet === undefined || to.destroyed) return;
    if (packet === 'end') {
      to.end();
      return;
    }
    waitingBytes -= packet.length;
    to.write(packet, () => arrived?.(packet.length));
    if (waitingBytes <= BUFFER_BYTES) from.resume();
  };
  const send = (packet: Buffer | 'end'): void => {
    const now = performance.now();
    const bytes = packet === 'end' ? 0 : packet.length;
    freeAt = Math.max(now, freeAt) + (bytes * 1_000) / bytesPerSecond;
    waitingBytes += bytes;
    waiting.push(packet);
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        deliver();
      },
      freeAt + delayMs - now,
    );
    timers.add(timer);
  };
  from.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += PACKET_BYTES) send(chunk.subarray(at, at + PACKET_BYTES));
    if (waitingBytes > BUFFER_BYTES) from.pause();
  });
  from.on('end', () => send('end'));
  from.on('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
}
