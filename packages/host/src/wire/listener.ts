import { createServer as createHttp, type Server as HttpServer, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import type { Log } from '../lib/log.ts';
import type { TlsCredentials } from '../tls/credentials.ts';

/** The first byte of a TLS handshake record; no HTTP request begins with it. */
const TLS_HANDSHAKE = 0x16;

/** Until when a connection has to begin, and its TLS handshake to end. */
const HANDSHAKE_MS = 10_000;

/** How long one that forgot the s may take to hang up. */
const REFUSED_MS = 2_000;

/** How long a request may take to arrive: who sends it byte by byte holds a connection no longer. */
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
  /** Cuts connections that are not through their TLS handshake. */
  dropSilent(): void;
}

/** HTTP on a port, in TLS when there are credentials. */
export function createListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'> | undefined,
  log: Log,
  onRequest: RequestListener,
): Listener {
  return credentials === undefined ? plainListener(onRequest) : tlsListener(credentials, log, onRequest);
}

function plainListener(onRequest: RequestListener): Listener {
  const http = createHttp(HTTP_LIMITS, onRequest);
  return {
    http,
    port: http,
    useCredentials: () => {
      throw new Error('without TLS there is no certificate to change');
    },
    dropSilent: () => undefined,
  };
}

function tlsListener(
  credentials: Pick<TlsCredentials, 'cert' | 'key'>,
  log: Log,
  onRequest: RequestListener,
): Listener {
  const https = createHttps(
    {
      ...HTTP_LIMITS,
      ...contextOf(credentials),
      handshakeTimeout: HANDSHAKE_MS,
      ALPNProtocols: ['http/1.1'],
    },
    onRequest,
  );
  https.on('tlsClientError', (error, socket) => {
    log.debug({ error }, 'a TLS handshake failed');
    socket.destroy();
  });
  // Those that are not through their handshake, by the other end.
  const silent = new Map<string, Socket>();
  https.on('secureConnection', (socket) => silent.delete(otherEnd(socket)));
  // In front of TLS, so that whoever forgot the s is told.
  const port = createTcp((socket) => {
    const name = otherEnd(socket);
    silent.set(name, socket);
    const cut = (): void => void socket.destroy();
    socket.setTimeout(HANDSHAKE_MS, cut);
    socket.on('error', cut);
    socket.once('close', () => silent.delete(name));
    socket.once('readable', () => {
      const first: unknown = socket.read(1);
      if (!Buffer.isBuffer(first)) return cut();
      socket.setTimeout(0);
      socket.off('timeout', cut);
      socket.unshift(first);
      if (first[0] === TLS_HANDSHAKE) https.emit('connection', socket);
      else refusePlain(socket);
    });
  });
  // Who does not listen himself looks at no time limits, and knows no connections to close.
  port.on('listening', () => https.emit('listening'));
  port.on('close', () => https.close());
  return {
    http: https,
    port,
    useCredentials: (renewed) => https.setSecureContext(contextOf(renewed)),
    dropSilent: () => {
      for (const socket of silent.values()) socket.destroy();
    },
  };
}

const contextOf = ({ cert, key }: Pick<TlsCredentials, 'cert' | 'key'>) =>
  ({ cert, key, minVersion: 'TLSv1.2' }) as const;

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function refusePlain(socket: Socket): void {
  // What it sent does not matter, but unread it would make the answer a reset. Who goes on sending is cut all the same.
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), REFUSED_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(TLS_ONLY)}`,
      '',
      TLS_ONLY,
    ].join('\r\n'),
  );
}
