import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ClientOptions, WebSocket } from 'ws';
import { connectPinnedTls } from './tls-peer.ts';
import { DEFAULT_MAX_HOST_FRAME_BYTES, type Transport } from './transport.ts';
import { type ConnectWebSocketOptions, connectSocket } from './websocket.ts';

export {
  CertificateRefused,
  canonicalFingerprint,
  lookAtTlsPeer,
  type TlsPeer,
  type TlsTarget,
} from './tls-peer.ts';

/** How long a host may take to agree to a close. */
const CLOSE_GRACE_MS = 1_000;

/** How much of a refusal is read. */
const MAX_REFUSAL_LENGTH = 1_000;

/** How to connect to a host that is known by its certificate. */
export interface ConnectPinnedOptions extends Omit<ConnectWebSocketOptions, 'protocols'> {
  /** SHA-256 of certificates or public keys as `canonicalFingerprint` writes them; one has to be the host's. */
  readonly fingerprints: readonly string[];
}

/**
 * For Node: connects by TLS to the host that has one of these fingerprints, whoever signed its certificate; nothing, a token least
 * of all, is sent to any other. Rejects with `CertificateRefused`, with `ConnectFailed` or with the signal's reason.
 */
export async function connectPinnedWebSocket(
  url: string,
  { fingerprints, headers, ...options }: ConnectPinnedOptions,
): Promise<Transport> {
  const { signal } = options;
  const tls = await connectPinnedTls({ url, signal }, fingerprints);
  // The types of `ws` leave out what it hands to Node's `request`.
  const socketOptions: ClientOptions & { createConnection: () => Duplex; closeTimeout: number } = {
    createConnection: () => tls,
    perMessageDeflate: false,
    closeTimeout: CLOSE_GRACE_MS,
    maxPayload: options.maxFrameLength ?? DEFAULT_MAX_HOST_FRAME_BYTES,
    ...(headers === undefined ? {} : { headers }),
  };
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
    // Ending it is an error of its own.
    socket.on('error', (error) => listeners.onError(refusal ?? error));
    socket.on('close', (code, reason) => listeners.onClose({ code, reason: reason.toString('utf8') }));
    return socket;
  });
}

/** An HTTP answer came in place of the WebSocket: `cause` of `ConnectFailed`. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  readonly code = 'upgrade-refused';
  readonly status: number;
  readonly contentType: string | undefined;
  /** Its beginning. */
  readonly body: string;

  constructor({ statusCode = 0, headers }: IncomingMessage, body: string) {
    super(`the answer was ${statusCode}`);
    this.status = statusCode;
    this.contentType = headers['content-type'];
    this.body = body;
  }
}

/** Whatever cuts the answer short, it is one. */
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

/** `ws` hands over one buffer, unless it is asked for other kinds. */
const textOf = (data: WebSocket.RawData): unknown => (Buffer.isBuffer(data) ? data.toString('utf8') : data);
