import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { Log } from '../../lib/log.ts';
import type { TlsCredentials } from '../../tls/credentials.ts';
import { awaitFirstRequest } from './first-request.ts';
import { createServer as createHttp, STATUS_CODES } from './plain-http.ts';
import {
  otherEnd,
  TOO_MANY_UNAUTHENTICATED,
  type UnauthenticatedSockets,
} from './unauthenticated-sockets.ts';

/** The first byte of a TLS handshake record; no HTTP request begins with it. */
const TLS_HANDSHAKE = 0x16;

/** Until when a connection has to begin, its TLS handshake to end, and the head of its request to be there. */
const HANDSHAKE_MS = 10_000;

/** How long one that is refused may take to hang up. */
const REFUSED_MS = 2_000;

/** So many of those that are too many are told so at once; those beyond are cut without a word. */
const MOST_TOLD = 64;

/** How long a request may take to arrive: a client that sends it byte by byte holds a connection no longer. */
const HTTP_LIMITS = {
  headersTimeout: HANDSHAKE_MS,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
} as const;

/** What a plain request gets on a port that speaks TLS. Clients know it by its beginning. */
export const TLS_ONLY = 'This host speaks TLS here: use https:// or wss://\n';

/** What listens on a host's port. */
export interface Listener {
  /** Parses HTTP; its requests and upgrades are the host's. */
  readonly http: HttpServer;
  /** Holds the port. */
  readonly port: Server;
  /** What TLS connections get from now on; throws without TLS. Those that are there keep what they have. */
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void;
  /** Cuts connections that have not sent a request. */
  dropSilent(): void;
}

/** HTTP on a port, in TLS when there are credentials. */
export function createListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'> | undefined,
  { unauthenticated, log }: { unauthenticated: Doorkeeper; log: Log },
  onRequest: RequestListener,
): Listener {
  return credentials === undefined
    ? plainListener(unauthenticated, onRequest)
    : tlsListener(credentials, { unauthenticated, log }, onRequest);
}

/** Who says whether one more may come in. */
type Doorkeeper = Pick<UnauthenticatedSockets, 'arrived'>;

/** What becomes of those who come. */
interface Door {
  /** Whether who says no more is still answered. */
  readonly allowHalfOpen: boolean;
  onArrival(socket: Socket): void;
  onRefusal(socket: Socket): void;
}

/** Holds the port, and lets in what is not too many. */
function frontDoor(
  http: HttpServer,
  unauthenticated: Doorkeeper,
  { allowHalfOpen, onArrival, onRefusal }: Door,
): Server {
  const port = createTcp({ allowHalfOpen, noDelay: true }, (socket) =>
    unauthenticated.arrived(socket) ? onArrival(socket) : onRefusal(socket),
  );
  // Who does not listen himself looks at no time limits, and knows no connections to close.
  port.on('listening', () => http.emit('listening'));
  port.on('close', () => http.close());
  return port;
}

function plainListener(unauthenticated: Doorkeeper, onRequest: RequestListener): Listener {
  const http = createHttp(HTTP_LIMITS, onRequest);
  const silent = new SilentSockets();
  let toldCount = 0;
  const port = frontDoor(http, unauthenticated, {
    allowHalfOpen: true,
    onArrival: (socket) => {
      silent.add(socket);
      awaitFirstRequest(socket, HANDSHAKE_MS, () => {
        silent.delete(socket);
        http.emit('connection', socket);
      });
    },
    onRefusal: (socket) => {
      if (toldCount >= MOST_TOLD) {
        socket.destroy();
        return;
      }
      toldCount += 1;
      socket.once('close', () => {
        toldCount -= 1;
      });
      socket.on('error', () => socket.destroy());
      refusePlain(socket, 503, `${TOO_MANY_UNAUTHENTICATED}\n`);
    },
  });
  return {
    http,
    port,
    useCredentials: () => {
      throw new Error('without TLS there is no certificate to change');
    },
    dropSilent: () => silent.drop(),
  };
}

/** Connections that have not sent a request, by the other end: TLS makes another object of each. */
class SilentSockets {
  readonly #sockets = new Map<string, Socket>();

  add(socket: Socket): void {
    const name = otherEnd(socket);
    this.#sockets.set(name, socket);
    socket.once('close', () => this.#sockets.delete(name));
  }

  delete(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#sockets.delete(otherEnd(socket));
  }

  drop(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function tlsListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'>,
  { unauthenticated, log }: { unauthenticated: Doorkeeper; log: Log },
  onRequest: RequestListener,
): Listener {
  const http = createHttp(HTTP_LIMITS, onRequest);
  const tls = createTls({
    ...contextOf(credentials),
    handshakeTimeout: HANDSHAKE_MS,
    ALPNProtocols: ['http/1.1'],
  });
  tls.on('tlsClientError', (error, socket) => {
    log.debug({ error }, 'a TLS handshake failed');
    socket.destroy();
  });
  const silent = new SilentSockets();
  tls.on('secureConnection', (socket) =>
    awaitFirstRequest(socket, HANDSHAKE_MS, () => {
      silent.delete(socket);
      http.emit('connection', socket);
    }),
  );
  // In front of TLS, so that whoever forgot the s is told.
  const onArrival = (socket: Socket): void => {
    silent.add(socket);
    const cut = (): void => void socket.destroy();
    socket.setTimeout(HANDSHAKE_MS, cut);
    socket.on('error', cut);
    socket.once('readable', () => {
      const first: unknown = socket.read(1);
      if (!Buffer.isBuffer(first)) return cut();
      socket.setTimeout(0);
      socket.off('timeout', cut);
      socket.unshift(first);
      if (first[0] === TLS_HANDSHAKE) tls.emit('connection', socket);
      else refusePlain(socket, 400, TLS_ONLY);
    });
  };
  // Before its handshake nothing can be said to it.
  const port = frontDoor(http, unauthenticated, {
    allowHalfOpen: false,
    onArrival,
    onRefusal: (socket) => void socket.destroy(),
  });
  return {
    http,
    port,
    useCredentials: (renewed) => tls.setSecureContext(contextOf(renewed)),
    dropSilent: () => silent.drop(),
  };
}

const contextOf = ({ cert, key }: Pick<TlsCredentials, 'cert' | 'key'>) =>
  ({ cert, key, minVersion: 'TLSv1.2' }) as const;

function refusePlain(socket: Socket, status: 400 | 503, text: string): void {
  // What it sent does not matter, but unread it would make the answer a reset. Who goes on sending is cut all the same.
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), REFUSED_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...(status === 503 ? ['Retry-After: 5'] : []),
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ].join('\r\n'),
  );
}
