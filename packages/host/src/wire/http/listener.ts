import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { TlsRefusal } from '@agenthost/protocol';
import type { Log } from '../../lib/log.ts';
import type { TlsCredentials } from '../../tls/credentials.ts';
import { awaitFirstRequest } from './first-request.ts';
import { createServer as createHttp, STATUS_CODES } from './plain-http.ts';
import {
  remoteEnd,
  TOO_MANY_UNAUTHENTICATED,
  type UnauthenticatedSockets,
} from './unauthenticated-sockets.ts';

/** The first byte of a TLS handshake record; no HTTP request begins with it. */
const TLS_HANDSHAKE = 0x16;

/** Time limit for the first byte of a connection, for its TLS handshake, and for the head of its request. */
const HANDSHAKE_MS = 10_000;

/** Time that a refused connection gets to read its answer and close. */
const REFUSED_MS = 2_000;

/** Refused connections that get an answer at the same time. Further ones are destroyed without an answer. */
const MAX_REFUSALS = 64;

/** Time limits for a request to arrive, so that a client that sends it byte by byte does not hold the connection. */
const HTTP_LIMITS = {
  headersTimeout: HANDSHAKE_MS,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
} as const;

/** The answer to a plain request on a TLS port. Clients recognise it by its `x-refusal`. */
export const TLS_ONLY = 'This host speaks TLS here: use https:// or wss://\n';

/** The servers behind a host's port. */
export interface Listener {
  /** Parses HTTP, and emits requests and upgrades. */
  readonly http: HttpServer;
  /** Accepts TCP connections. */
  readonly port: Server;
  /** Sets the certificate of later TLS connections. Open connections keep theirs. Throws without TLS. */
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void;
  /** Destroys connections that have not sent a request. */
  dropSilent(): void;
}

/** Creates the servers of a port: HTTP, over TLS if there are credentials. */
export function createListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'> | undefined,
  { unauthenticated, log }: { unauthenticated: SocketLimit; log: Log },
  onRequest: RequestListener,
): Listener {
  return credentials === undefined
    ? plainListener(unauthenticated, onRequest)
    : tlsListener(credentials, { unauthenticated, log }, onRequest);
}

/** Decides whether one more socket is accepted. */
type SocketLimit = Pick<UnauthenticatedSockets, 'admit'>;

/** Handlers of new sockets. */
interface SocketHandlers {
  /** Whether a socket stays open for the answer after its other end has sent everything. */
  readonly allowHalfOpen: boolean;
  onAdmitted(socket: Socket): void;
  onRefused(socket: Socket): void;
}

/** Accepts TCP connections for `http`, within the limit. */
function listenerOf(
  http: HttpServer,
  unauthenticated: SocketLimit,
  { allowHalfOpen, onAdmitted, onRefused }: SocketHandlers,
): Server {
  const port = createTcp({ allowHalfOpen, noDelay: true }, (socket) =>
    unauthenticated.admit(socket) ? onAdmitted(socket) : onRefused(socket),
  );
  // Without these events, Node checks no time limits and cannot close idle connections.
  port.on('listening', () => http.emit('listening'));
  port.on('close', () => http.close());
  return port;
}

function plainListener(unauthenticated: SocketLimit, onRequest: RequestListener): Listener {
  const http = createHttp(HTTP_LIMITS, onRequest);
  const silent = new SilentSockets();
  let refusalCount = 0;
  const port = listenerOf(http, unauthenticated, {
    allowHalfOpen: true,
    onAdmitted: (socket) => {
      silent.add(socket);
      awaitFirstRequest(socket, HANDSHAKE_MS, () => {
        silent.delete(socket);
        http.emit('connection', socket);
      });
    },
    onRefused: (socket) => {
      if (refusalCount >= MAX_REFUSALS) {
        socket.destroy();
        return;
      }
      refusalCount += 1;
      socket.once('close', () => {
        refusalCount -= 1;
      });
      socket.on('error', () => socket.destroy());
      refusePlain(socket, 503, `${TOO_MANY_UNAUTHENTICATED}\n`);
    },
  });
  return {
    http,
    port,
    useCredentials: () => {
      throw new Error('cannot change the certificate: the host listens without TLS');
    },
    dropSilent: () => silent.drop(),
  };
}

/** The connections that have not sent a request, by remote address and port: TLS wraps each socket in another object. */
class SilentSockets {
  readonly #sockets = new Map<string, Socket>();

  add(socket: Socket): void {
    const name = remoteEnd(socket);
    this.#sockets.set(name, socket);
    socket.once('close', () => this.#sockets.delete(name));
  }

  delete(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#sockets.delete(remoteEnd(socket));
  }

  drop(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function tlsListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'>,
  { unauthenticated, log }: { unauthenticated: SocketLimit; log: Log },
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
  // Looks at the first byte before TLS does, so that a plain request gets a readable answer.
  const onAdmitted = (socket: Socket): void => {
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
  // Before the TLS handshake a refused client cannot read an answer.
  const port = listenerOf(http, unauthenticated, {
    allowHalfOpen: false,
    onAdmitted,
    onRefused: (socket) => void socket.destroy(),
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
  // Unread input would turn the close into a reset, and the client would lose the answer.
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), REFUSED_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      status === 503
        ? 'Retry-After: 5'
        : `X-Refusal: ${JSON.stringify({ kind: 'tls' } satisfies TlsRefusal)}`,
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ].join('\r\n'),
  );
}
