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

/** Events of a connection to a host. */
export interface HostLinkEvents {
  /** A host with the same protocol number said hello. Called first, once. */
  greeted(): void;
  message(message: HostMessage): void;
  /** `bytes` are valid only during the call. */
  input(pty: number, bytes: Uint8Array): void;
  acknowledge(pty: number, offset: number): void;
  /** The connection is closed. Called once, also without a hello. */
  closed(): void;
}

/** Size of one read of a closing socket. */
const UNREAD_BYTES = 64 * 1024;
/** Limit of unsent data. Above it, no further request is read. Output has a bound of its own, by its acknowledgements. */
const UNSENT_LIMIT_BYTES = 8 * 1024 * 1024;

/** A keeper's end of one connection. Sends each delivery of a pty at once: `ReadGathering` makes those of a flood large. */
export class HostLink {
  readonly #socket: Socket;
  readonly #events: HostLinkEvents;
  readonly #reader: FrameReader;
  #isGreeted = false;
  #isClosed = false;

  /** Sends hello at once. */
  constructor(socket: Socket, build: string, events: HostLinkEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#reader = new FrameReader((frame) => this.#receive(frame));
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => socket.resume());
    // The connection of a killed host is reset. `close` follows every error.
    socket.on('error', () => socket.destroy());
    const rest: Buffer[] = [];
    beforeItCloses(socket, (fd) => rest.push(...unreadOf(fd)));
    socket.on('close', () => {
      for (const chunk of rest) this.#read(chunk);
      this.close();
    });
    this.send({ type: 'hello', protocol: KEEPER_PROTOCOL, build, pid: process.pid });
  }

  /** Sends a message, in order with output. */
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

  /** Handles the messages that were received so far, then closes: another host has connected, but the input of this one was confirmed to its client. */
  hearOutAndClose(): void {
    // `read` emits `data` for chunks that the paused socket holds.
    while (!this.#isClosed && this.#socket.read() !== null);
    const fd = fileOf(this.#socket);
    if (!this.#isClosed && fd !== undefined) for (const chunk of unreadOf(fd)) this.#read(chunk);
    this.close();
  }

  /** Closes the connection. Idempotent. */
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
      throw new FrameError(`unexpected frame of kind ${frame.kind}`);
    if (frame.kind === 'input') this.#events.input(frame.pty, frame.bytes);
    else this.#events.acknowledge(frame.pty, frame.offset);
  }

  #greet(message: HostMessage | undefined): void {
    if (message?.type !== 'hello') throw new FrameError('expected a hello');
    if (message.protocol !== KEEPER_PROTOCOL)
      throw new FrameError(`expected protocol ${KEEPER_PROTOCOL}, got ${message.protocol}`);
    this.#isGreeted = true;
    this.#reader.limitBytes = FRAME_LIMIT_BYTES;
    this.#events.greeted();
  }
}

/**
 * Calls `look` before the file of a socket closes. A write to a killed host fails at once and closes the socket, which may still hold input
 * that was confirmed to a client.
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

/** The received bytes of a socket that nobody has read. */
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
    // There are no more bytes, or the other end closed with unread data.
  }
  return found;
}
