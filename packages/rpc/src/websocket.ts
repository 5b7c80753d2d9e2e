import { Inbox } from './inbox.ts';
import {
  type CloseInfo,
  closeReason,
  DEFAULT_MAX_HOST_FRAME_BYTES,
  TRANSPORT_CLOSE,
  type Transport,
} from './transport.ts';

/** Options of `connectWebSocket`. */
export interface ConnectWebSocketOptions {
  /** Subprotocols to offer. Default: none. */
  protocols?: string[];
  /** Request headers. Node only: browsers cannot set headers and throw. */
  headers?: Record<string, string>;
  /** Largest accepted frame in UTF-16 code units. A larger frame closes with code 1009. Default 64 Mi. */
  maxFrameLength?: number;
  /** Abandons the attempt to connect. No effect once connected. */
  signal?: AbortSignal | undefined;
}

/** The connection could not be made. Browsers and Node hide the reason and the HTTP status. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly code = 'connect-failed';
  readonly info: CloseInfo;

  constructor(url: string, info: CloseInfo, cause?: unknown) {
    // The query may contain a token.
    const shown = url.replace(/\?.*$/, '');
    super(`cannot connect to ${shown}${info.reason === '' ? '' : `: ${info.reason}`}`, { cause });
    this.info = info;
  }
}

/** Callbacks of a client socket. */
export interface SocketListeners {
  onOpen(): void;
  onMessage(data: unknown): void;
  onError(error: unknown): void;
  /** Called exactly once, whether the socket was open or not. */
  onClose(info: CloseInfo): void;
}

/** A client's socket of any implementation. */
export interface ClientSocket {
  readonly bufferedAmount: number;
  /** As of `WebSocket`: 1 is open. */
  readonly readyState: number;
  send(frame: string): void;
  close(code?: number, reason?: string): void;
}

/**
 * Connects with the platform's `WebSocket` and resolves when it is open. Rejects with `ConnectFailed` or the
 * signal's reason.
 *
 * @example
 * const transport = await connectWebSocket('ws://127.0.0.1:4711/ahp');
 */
export function connectWebSocket(url: string, options: ConnectWebSocketOptions = {}): Promise<Transport> {
  return connectSocket(url, options, (listeners) => {
    const socket = open(url, options);
    socket.addEventListener('open', listeners.onOpen);
    socket.addEventListener('message', ({ data }) => listeners.onMessage(data));
    socket.addEventListener('error', (event) =>
      listeners.onError('error' in event ? event.error : undefined),
    );
    socket.addEventListener('close', ({ code, reason }) => listeners.onClose({ code, reason }));
    return socket;
  });
}

/** A transport over the socket that `make` opens; otherwise like `connectWebSocket`. */
export function connectSocket(
  url: string,
  { signal, maxFrameLength: limit = DEFAULT_MAX_HOST_FRAME_BYTES }: ConnectWebSocketOptions,
  make: (listeners: SocketListeners) => ClientSocket,
): Promise<Transport> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const inbox = new Inbox();
    let failure: unknown;
    const settled = (): void => signal?.removeEventListener('abort', onAbort);
    const socket = make({
      onOpen: () => {
        settled();
        resolve(transport);
      },
      onMessage: (data) => {
        if (typeof data !== 'string') close(TRANSPORT_CLOSE.unsupportedData, 'text frames only');
        else if (data.length > limit) close(TRANSPORT_CLOSE.frameTooLarge, `frame longer than ${limit}`);
        else inbox.push(data);
      },
      onError: (error) => {
        failure = error;
      },
      onClose: (info) => {
        settled();
        inbox.close(info);
        // Does nothing once resolved.
        reject(new ConnectFailed(url, info, failure));
      },
    });

    const close = (code: number = TRANSPORT_CLOSE.normal, reason = ''): void => {
      if (inbox.isClosed) return;
      socket.close(allowedCode(code), closeReason(reason));
      // Does not wait for the other side's close frame, which a dead peer never sends.
      inbox.close({ code, reason });
    };
    const transport: Transport = {
      get bufferedBytes() {
        return socket.bufferedAmount;
      },
      send: (frame) => {
        // Between the other side's close frame and the close event, a browser would drop the frame and log an error.
        if (!inbox.isClosed && socket.readyState === WebSocket.OPEN) socket.send(frame);
      },
      close,
      start: (handlers) => inbox.start(handlers),
    };

    const onAbort = (): void => {
      // First, because closing may report the failure synchronously.
      reject(signal?.reason);
      socket.close();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function open(url: string, { protocols = [], headers }: ConnectWebSocketOptions): WebSocket {
  return headers === undefined ? new WebSocket(url, protocols) : new WebSocket(url, { protocols, headers });
}

/** `WebSocket.close` accepts only 1000 and 3000–4999. Other codes are sent as 3000 plus their last digits. */
function allowedCode(code: number): number {
  return code === TRANSPORT_CLOSE.normal || code >= 3000 ? code : 3000 + (code % 1000);
}
