import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ClientOptions, WebSocket } from 'ws';
import { DEFAULT_MAX_HOST_FRAME_BYTES, type Transport } from './transport.ts';
import { type ConnectWebSocketOptions, connectSocket } from './websocket.ts';

/** Time for a host to confirm a close, in milliseconds. */
const CLOSE_GRACE_MS = 1_000;

/** Longest part of a refusal's body that is read, in UTF-16 code units. */
const MAX_REFUSAL_LENGTH = 1_000;

/** Options of `connectStreamWebSocket`. */
export type ConnectStreamOptions = Omit<ConnectWebSocketOptions, 'protocols'>;

/**
 * Node only: opens a WebSocket over a byte stream that already leads to the host, and owns the stream from then on. `url`: what
 * the host is asked for; its host name is sent and not looked up. Rejects with `ConnectFailed` or the signal's reason.
 */
export function connectStreamWebSocket(
  url: string,
  stream: Duplex,
  { headers, ...options }: ConnectStreamOptions = {},
): Promise<Transport> {
  const common: ClientOptions = {
    perMessageDeflate: false,
    maxPayload: options.maxFrameLength ?? DEFAULT_MAX_HOST_FRAME_BYTES,
    ...(headers === undefined ? {} : { headers }),
  };
  // The types of `ws` want a socket and omit options that it passes to Node's `request`, which takes any duplex stream.
  const socketOptions = Object.assign(common, {
    createConnection: () => stream,
    closeTimeout: CLOSE_GRACE_MS,
  });
  return connectSocket(url, options, (listeners) => {
    const socket = new WebSocket(url, socketOptions);
    socket.on('open', listeners.onOpen);
    socket.on('message', (data, isBinary) => listeners.onMessage(isBinary ? data : textOf(data)));
    let refusal: UpgradeRefused | undefined;
    socket.on('unexpected-response', (_request, response) => {
      void readUpgradeRefusal(response).then((read) => {
        refusal = read;
        socket.terminate();
      });
    });
    // Ending the socket raises an error of its own.
    socket.on('error', (error) => listeners.onError(refusal ?? error));
    socket.on('close', (code, reason) => listeners.onClose({ code, reason: reason.toString('utf8') }));
    return socket;
  });
}

/** The server answered with an HTTP response instead of a WebSocket. `cause` of `ConnectFailed`. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  readonly code = 'upgrade-refused';
  readonly status: number;
  readonly contentType: string | undefined;
  /** The header `x-refusal`. */
  readonly refusal: string | undefined;
  /** The beginning of the body. */
  readonly body: string;

  constructor({ statusCode = 0, headers }: IncomingMessage, body: string) {
    super(`the answer was ${statusCode}`);
    this.status = statusCode;
    this.contentType = headers['content-type'];
    this.refusal = [headers['x-refusal']].flat()[0];
    this.body = body;
  }
}

/** A response that is cut short is a refusal as well. */
async function readUpgradeRefusal(response: IncomingMessage): Promise<UpgradeRefused> {
  let body = '';
  const cut = setTimeout(() => response.destroy(), CLOSE_GRACE_MS);
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      body += String(chunk);
      if (body.length > MAX_REFUSAL_LENGTH) break;
    }
  } catch {
    body = '';
  } finally {
    clearTimeout(cut);
  }
  return new UpgradeRefused(response, body);
}

/** `ws` passes one buffer unless another type is requested. */
const textOf = (data: WebSocket.RawData): unknown => (Buffer.isBuffer(data) ? data.toString('utf8') : data);
