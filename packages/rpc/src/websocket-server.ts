import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { FrameBatch } from './frame-batch.ts';
import { Inbox } from './inbox.ts';
import { closeReason, DEFAULT_MAX_CLIENT_FRAME_BYTES, TRANSPORT_CLOSE, type Transport } from './transport.ts';

export { FrameBatch, type HeldFrames } from './frame-batch.ts';

/** How a server's socket is wrapped. */
export interface ServerSocketOptions {
  /**
   * Largest frame accepted, in bytes; a larger one closes with 1009. Default 16 MiB. Give the same number to the
   * `WebSocketServer` as `maxPayload`, so that `ws` stops reading instead of buffering it.
   */
  maxFrameBytes?: number;
}

/** A server's end of a WebSocket: a transport with what fan-out to many sockets needs. */
export interface ServerTransport extends Transport {
  /** Sends a text frame that is already UTF-8, so that one encoding serves all subscribers. Bytes must not change after. */
  sendBytes(utf8: Uint8Array): void;
  /** Sends many frames in one write. Absent where that is no cheaper than one after the other. */
  sendBatch?(batch: FrameBatch): void;
  /** Holds frames back until `uncork`, so that those of one tick go out in one write. Calls nest. */
  cork(): void;
  uncork(): void;
  /** Calls back each time that everything buffered has been handed to the operating system after a stall. */
  onDrain(listener: () => void): void;
  /** Calls back for each ping and pong of the other end, which are answered without it. Absent where there is no such thing. */
  onControlFrame?(listener: () => void): void;
  /**
   * Bytes that the operating system has taken since the beginning, parts of frames included. While bytes are buffered, a higher number
   * than before means that the other end reads.
   */
  readonly takenBytes: number;
  /**
   * Whether the other end has shown since the last call that it lives: anything came from it, or it took some of what was stuck.
   * Where not, asks it for a sign, which every WebSocket gives by itself once it reads as far. Absent where there is no such thing.
   */
  probe?(): boolean;
  /** Reads no more until `resume`: what the other end writes waits there. Absent where that cannot be done. */
  pause?(): void;
  resume?(): void;
  /** Ends the connection at once, what is buffered is lost, by the system too: for peers that do not read, whom no close frame reaches. */
  terminate(): void;
}

/** Options for `new WebSocketServer` that this package expects: per-message compression costs far more than it saves. */
export const WEBSOCKET_SERVER_OPTIONS = {
  maxPayload: DEFAULT_MAX_CLIENT_FRAME_BYTES,
  perMessageDeflate: false,
} as const;

/** Wraps an accepted socket of `ws`. Errors of the socket end the transport and never throw. */
export function wrapServerSocket(
  socket: WebSocket,
  { maxFrameBytes = DEFAULT_MAX_CLIENT_FRAME_BYTES }: ServerSocketOptions = {},
): ServerTransport {
  const inbox = new Inbox();
  // `ws` has no cork of its own; its stream is a private field, so its absence must cost batching only.
  const stream: unknown = Reflect.get(socket, '_socket');
  const raw = stream instanceof Duplex ? stream : undefined;
  let seen = raw === undefined ? undefined : progressOf(raw);
  // A socket that is closed has no handle to ask any more.
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
    // A frame that breaks the protocol. `ws` answers with a close frame and waits long for the reply; we do not.
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
      // What `ws` itself would write; it keeps nothing back unless it compresses.
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
      // Else `ws` would still read all that has come.
      raw?.removeAllListeners('data');
      raw?.read();
      // Else the system goes on with what it has taken, for minutes where the other end is slow, and that hears of the end behind it. TLS has no such way.
      if (raw instanceof Socket && !('encrypted' in raw)) raw.resetAndDestroy();
      socket.terminate();
      inbox.close({ code: TRANSPORT_CLOSE.lost, reason: 'terminated' });
    },
  };
}

/** Node counts what it has handed to the system's call as written, the part that still waits there included. */
function takenBy(raw: Duplex): number {
  const handle: unknown = Reflect.get(raw, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  const written: unknown = Reflect.get(handle, 'bytesWritten');
  const stuck: unknown = Reflect.get(handle, 'writeQueueSize');
  return (typeof written === 'number' ? written : 0) - (typeof stuck === 'number' ? stuck : 0);
}

/**
 * Bytes that came, and those of the present write that the operating system has not taken: what is written next begins only after
 * them, so that any other number means progress. Node tells it by the handle alone, and uses it so for its own timeouts.
 */
function progressOf(raw: Duplex): { readonly read: unknown; readonly stuck: number } {
  const handle: unknown = Reflect.get(raw, '_handle');
  const stuck: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return { read: Reflect.get(raw, 'bytesRead'), stuck: typeof stuck === 'number' ? stuck : 0 };
}
