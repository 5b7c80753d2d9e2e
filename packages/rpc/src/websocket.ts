import { Inbox } from './inbox.ts';
import {
  type CloseInfo,
  closeReason,
  DEFAULT_MAX_HOST_FRAME_BYTES,
  TRANSPORT_CLOSE,
  type Transport,
} from './transport.ts';

/** How a client connects. */
export interface ConnectWebSocketOptions {
  /** Subprotocols to offer. */
  protocols?: string[];
  /** Request headers. Node only: browsers cannot set any, and throw when given some. */
  headers?: Record<string, string>;
  /** Largest frame accepted, in UTF-16 code units; a larger one closes with 1009. Default 64 Mi. */
  maxFrameLength?: number;
  /** Gives up connecting; after the connection is made it has no effect. */
  signal?: AbortSignal | undefined;
}

/** The connection could not be made. Browsers and Node hide why, the HTTP status included. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly code = 'connect-failed';
  readonly info: CloseInfo;

  constructor(url: string, info: CloseInfo, cause?: unknown) {
    // A token may be in the query.
    const shown = url.replace(/\?.*$/, '');
    super(`cannot connect to ${shown}${info.reason === '' ? '' : `: ${info.reason}`}`, { cause });
    this.info = info;
  }
}

/** What a kind of client socket tells. */
export interface SocketListeners {
  onOpen(): void;
  onMessage(data: unknown): void;
  onError(error: unknown): void;
  /** Exactly once, whether it was open or not. */
  onClose(info: CloseInfo): void;
}

/** A client's socket of whatever kind. */
export interface ClientSocket {
  readonly bufferedAmount: number;
  send(frame: string): void;
  close(code?: number, reason?: string): void;
}

/**
 * Connects with the platform's own `WebSocket` and resolves when it is open. Rejects with `ConnectFailed`, or with the
 * signal's reason.
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

/** A transport over the socket that `make` opens; as `connectWebSocket` otherwise. */
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
      // Not when the other side has agreed: a dead one never would.
      inbox.close({ code, reason });
    };
    const transport: Transport = {
      get bufferedBytes() {
        return socket.bufferedAmount;
      },
      send: (frame) => {
        if (!inbox.isClosed) socket.send(frame);
      },
      close,
      start: (handlers) => inbox.start(handlers),
    };

    const onAbort = (): void => {
      // First, since closing may report the failure in the same call.
      reject(signal?.reason);
      socket.close();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function open(url: string, { protocols = [], headers }: ConnectWebSocketOptions): WebSocket {
  return headers === undefined ? new WebSocket(url, protocols) : new WebSocket(url, { protocols, headers });
}

/** `WebSocket.close` takes 1000 and 3000–4999 alone; codes of the protocol layer go out as 3000 + their last digits. */
function allowedCode(code: number): number {
  return code === TRANSPORT_CLOSE.normal || code >= 3000 ? code : 3000 + (code % 1000);
}
