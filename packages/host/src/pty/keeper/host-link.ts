import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { errorCode } from '@agenthost/protocol/values';
import {
  controlFrame,
  DATA_HEADER_BYTES,
  FRAME_LIMIT_BYTES,
  type Frame,
  FrameError,
  FrameReader,
  writeDataHeader,
} from './frames.ts';
import { type HostMessage, KEEPER_PROTOCOL, type KeeperMessage, parseHostMessage } from './protocol.ts';

/** What a keeper does with what a host says. */
export interface HostLinkEvents {
  /** A host that speaks our protocol is there. Comes first, once. */
  greeted(): void;
  message(message: HostMessage): void;
  /** `bytes` are valid only during the call. */
  input(pty: number, bytes: Uint8Array): void;
  acknowledge(pty: number, offset: number): void;
  /** Nothing more comes. Called once, also when nobody was greeted. */
  closed(): void;
}

/** One read of what a closing socket has received. */
const UNREAD_BYTES = 64 * 1024;
/** While more than this waits to be sent, no further request is read. Output alone is bounded by its acknowledgements. */
const UNSENT_LIMIT_BYTES = 8 * 1024 * 1024;

/** A keeper's end of one connection. Each delivery of a pty leaves at once: `ReadGathering` makes those of a flood large. */
export class HostLink {
  readonly #socket: Socket;
  readonly #events: HostLinkEvents;
  readonly #reader: FrameReader;
  #isGreeted = false;
  #isClosed = false;

  /** Says hello at once. */
  constructor(socket: Socket, build: string, events: HostLinkEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#reader = new FrameReader((frame) => this.#receive(frame));
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => socket.resume());
    // A host that is killed leaves a reset connection; `close` follows every error.
    socket.on('error', () => socket.destroy());
    const rest: Buffer[] = [];
    beforeItCloses(socket, (fd) => rest.push(...unreadOf(fd)));
    socket.on('close', () => {
      for (const chunk of rest) this.#read(chunk);
      this.close();
    });
    this.send({ type: 'hello', protocol: KEEPER_PROTOCOL, build, pid: process.pid });
  }

  /** Sends a message, behind all output before it. */
  send(message: KeeperMessage): void {
    if (!this.#isClosed) this.#socket.write(controlFrame(message));
  }

  /** Sends output of a pty in one frame. */
  data(pty: number, bytes: Uint8Array, offset: number): void {
    if (this.#isClosed) return;
    const frame = Buffer.allocUnsafe(DATA_HEADER_BYTES + bytes.length);
    frame.set(bytes, DATA_HEADER_BYTES);
    writeDataHeader(frame, pty, offset);
    this.#socket.write(frame);
  }

  /** Hears what the host has said so far, then hangs up: another host has come, and what this one's client was told is typed must be. */
  hearOutAndClose(): void {
    // What was read while requests wait is not with the reader yet: taking it gives `data` events.
    while (!this.#isClosed && this.#socket.read() !== null);
    const fd = fileOf(this.#socket);
    if (!this.#isClosed && fd !== undefined) for (const chunk of unreadOf(fd)) this.#read(chunk);
    this.close();
  }

  /** Hangs up. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reader.stop();
    this.#socket.destroy();
    this.#events.closed();
  }

  #read(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.close();
    }
    if (this.#socket.writableLength > UNSENT_LIMIT_BYTES) this.#socket.pause();
  }

  #receive(frame: Frame): void {
    if (frame.kind === 'control') {
      const message = parseHostMessage(frame.text);
      if (!this.#isGreeted) this.#greet(message);
      else if (message !== undefined) this.#events.message(message);
      return;
    }
    if (!this.#isGreeted || frame.kind === 'data')
      throw new FrameError(`a frame of ${frame.kind} came out of turn`);
    if (frame.kind === 'input') this.#events.input(frame.pty, frame.bytes);
    else this.#events.acknowledge(frame.pty, frame.offset);
  }

  #greet(message: HostMessage | undefined): void {
    if (message?.type !== 'hello') throw new FrameError('a hello was expected');
    if (message.protocol !== KEEPER_PROTOCOL)
      throw new FrameError(`protocol ${message.protocol} is not ours`);
    this.#isGreeted = true;
    this.#reader.limitBytes = FRAME_LIMIT_BYTES;
    this.#events.greeted();
  }
}

/**
 * Calls back while the file of a socket is still open, whyever it closes. Writing to a host that was killed fails at once and
 * closes the socket, with keys still to be read from it that the host's client was told are typed.
 */
function beforeItCloses(socket: Socket, look: (fd: number) => void): void {
  const fd = fileOf(socket);
  if (fd === undefined) return;
  const destroy = socket._destroy.bind(socket);
  socket._destroy = (error, callback) => {
    look(fd);
    destroy(error, callback);
  };
}

/** The open file of a socket. */
function fileOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  const fd = typeof handle === 'object' && handle !== null && 'fd' in handle ? handle.fd : undefined;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
}

/** What a socket has received and nobody has read. */
function unreadOf(fd: number): Buffer[] {
  const found: Buffer[] = [];
  try {
    for (let length = -1; length !== 0; ) {
      const chunk = Buffer.allocUnsafe(UNREAD_BYTES);
      length = readSync(fd, chunk);
      if (length > 0) found.push(chunk.subarray(0, length));
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Nothing more is there, or the other end was closed before it had read everything.
  }
  return found;
}
