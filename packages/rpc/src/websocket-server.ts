import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { FrameBatch } from './frame-batch.ts';
import { Inbox } from './inbox.ts';
import { closeReason, DEFAULT_MAX_CLIENT_FRAME_BYTES, TRANSPORT_CLOSE, type Transport } from './transport.ts';

export { FrameBatch, type HeldFrames } from './frame-batch.ts';

/** Options of `wrapServerSocket`. */
export interface ServerSocketOptions {
  /**
   * Largest accepted frame in bytes. A larger frame closes with code 1009. Default 16 MiB. Pass the same
   * number to `WebSocketServer` as `maxPayload`, so that `ws` stops reading instead of buffering the frame.
   */
  maxFrameBytes?: number;
}

/** A server's end of a WebSocket: a transport with additions for fan-out to many sockets. */
export interface ServerTransport extends Transport {
  /**
   * Sends a text frame given as UTF-8, so that one encoding serves all subscribers. The bytes must not change
   * afterwards.
   */
  sendBytes(utf8: Uint8Array): void;
  /** Sends many frames in one write. Absent where this is no cheaper than single sends. */
  sendBatch?(batch: FrameBatch): void;
  /** Buffers frames until `uncork`, so that the frames of one tick are sent in one write. Calls nest. */
  cork(): void;
  uncork(): void;
  /** Calls back each time when the operating system has taken all buffered bytes after a stall. */
  onDrain(listener: () => void): void;
  /**
   * Calls back for each ping and pong of the other end. Pings are answered without it. Absent where the
   * carrier has no such frames.
   */
  onControlFrame?(listener: () => void): void;
  /**
   * Bytes that the operating system has taken since the start, including parts of frames. While bytes are
   * buffered, a growing number means that the other end reads.
   */
  readonly takenBytes: number;
  /**
   * Whether the other end was active since the last call: it sent something, or took some of the buffered
   * bytes. If not, sends a ping, which every WebSocket answers once it reads that far. Absent where the
   * carrier has no pings.
   */
  probe?(): boolean;
  /** Stops reading until `resume`. Absent where this is not possible. */
  pause?(): void;
  resume?(): void;
  /**
   * Closes the connection at once and discards all buffered bytes, also those in the operating system. For
   * peers that do not read and so would not see a close frame.
   */
  terminate(): void;
}

/**
 * Options for `new WebSocketServer` that this package expects. Compression of messages costs far more than it
 * saves.
 */
export const WEBSOCKET_SERVER_OPTIONS = {
  maxPayload: DEFAULT_MAX_CLIENT_FRAME_BYTES,
  perMessageDeflate: false,
} as const;

/**
 * Wraps an accepted socket of `ws` as a transport. Errors of the socket close the transport and are never
 * thrown.
 */
export function wrapServerSocket(
  socket: WebSocket,
  { maxFrameBytes = DEFAULT_MAX_CLIENT_FRAME_BYTES }: ServerSocketOptions = {},
): ServerTransport {
  const inbox = new Inbox();
  // `ws` has no public cork. Its stream is a private field; without it only batching is lost.
  const stream: unknown = Reflect.get(socket, '_socket');
  const raw = stream instanceof Duplex ? stream : undefined;
  let seen = raw === undefined ? undefined : progressOf(raw);
  // A closed socket has no handle to ask any more.
  let taken = 0;

  const close = (code: number = TRANSPORT_CLOSE.normal, reason = ''): void => {
    if (inbox.isClosed) return;
    socket.close(code, closeReason(reason));
    inbox.close({ code, reason });
  };
  const onSent = (): void => undefined; // A failed write is followed by 'close'.
  socket.on('message', (data, isBinary) => {
    if (inbox.isClosed) return;
    if (isBinary) return close(TRANSPORT_CLOSE.unsupportedData, 'text frames only');
    const bytes = Buffer.isBuffer(data)
      ? data
      : Array.isArray(data)
        ? Buffer.concat(data)
        : Buffer.from(data);
    if (bytes.length > maxFrameBytes) {
      return close(TRANSPORT_CLOSE.frameTooLarge, `frame longer than ${maxFrameBytes} bytes`);
    }
    inbox.push(bytes.toString('utf8'));
  });
  socket.on('error', (error) => {
    // A frame that violates the protocol. `ws` sends a close frame and waits long for the reply; this code
    // does not wait.
    const isTooLarge = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    const code = isTooLarge ? TRANSPORT_CLOSE.frameTooLarge : TRANSPORT_CLOSE.protocolError;
    inbox.close({ code, reason: error.message });
  });
  socket.on('close', (code, reason) => inbox.close({ code, reason: reason.toString('utf8') }));

  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send: (frame) => {
      if (!inbox.isClosed) socket.send(frame, onSent);
    },
    sendBytes: (utf8) => {
      if (!inbox.isClosed) socket.send(utf8, { binary: false }, onSent);
    },
    sendBatch: (batch) => {
      if (inbox.isClosed || socket.readyState !== socket.OPEN) return;
      // The bytes are those that `ws` would write; without compression, `ws` buffers nothing.
      if (raw !== undefined && socket.extensions === '') {
        const held = batch.webSocketFrames();
        raw.write(held.bytes, () => held.release());
      } else for (const frame of batch.frames) socket.send(frame, onSent);
    },
    close,
    start: (handlers) => inbox.start(handlers),
    cork: () => raw?.cork(),
    uncork: () => raw?.uncork(),
    onDrain: (listener) => void raw?.on('drain', listener),
    onControlFrame: (listener) => void socket.on('ping', listener).on('pong', listener),
    get takenBytes() {
      if (raw !== undefined) taken = Math.max(taken, takenBy(raw));
      return taken;
    },
    probe: () => {
      if (raw === undefined || seen === undefined || inbox.isClosed) return true;
      const last = seen;
      seen = progressOf(raw);
      const isAlive = seen.read !== last.read || (last.stuck > 0 && seen.stuck !== last.stuck);
      if (!isAlive) socket.ping(undefined, undefined, onSent);
      return isAlive;
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => {
      // Otherwise `ws` would still read everything that arrived.
      raw?.removeAllListeners('data');
      raw?.read();
      // Otherwise the operating system continues to send what it has taken, for minutes to a slow peer, and
      // the peer sees the close only after it. TLS sockets cannot be reset.
      if (raw instanceof Socket && !('encrypted' in raw)) raw.resetAndDestroy();
      socket.terminate();
      inbox.close({ code: TRANSPORT_CLOSE.lost, reason: 'terminated' });
    },
  };
}

/** Node counts bytes passed to the system call as written, including the part that still waits there. */
function takenBy(raw: Duplex): number {
  const handle: unknown = Reflect.get(raw, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  const written: unknown = Reflect.get(handle, 'bytesWritten');
  const stuck: unknown = Reflect.get(handle, 'writeQueueSize');
  return (typeof written === 'number' ? written : 0) - (typeof stuck === 'number' ? stuck : 0);
}

/**
 * Bytes received, and bytes of the current write that the operating system has not taken. The next write
 * starts only after them, so any change of the number means progress. Node exposes it only on the handle, and
 * uses it for its own timeouts in the same way.
 */
function progressOf(raw: Duplex): { readonly read: unknown; readonly stuck: number } {
  const handle: unknown = Reflect.get(raw, '_handle');
  const stuck: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return { read: Reflect.get(raw, 'bytesRead'), stuck: typeof stuck === 'number' ? stuck : 0 };
}
