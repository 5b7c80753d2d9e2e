import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { DEFAULT_MAX_CLIENT_FRAME_BYTES } from '@agenthost/rpc';
import {
  type ServerTransport,
  WEBSOCKET_SERVER_OPTIONS,
  wrapServerSocket,
} from '@agenthost/rpc/websocket-server';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { WebSocketServer } from 'ws';
import { cookieName } from '../auth/cookie.ts';
import type { Gate } from '../auth/gate.ts';
import { addressesOf, checkHost, checkOrigin } from '../auth/origin.ts';
import { extractToken } from '../auth/verify.ts';
import type { Log } from '../lib/log.ts';
import type { TlsCredentials } from '../tls/credentials.ts';
import type { Identity } from './connection.ts';
import { createListener, type Listener } from './listener.ts';
import { servePage } from './pages.ts';
import { WEB_HEADERS } from './web-headers.ts';

/** How a host listens. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly gate: Pick<Gate, 'admit'>;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly maxFrameBytes?: number | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
  readonly log: Log;
  /** Whether new work is taken: what `/readyz` says. */
  isReady(): boolean;
  /** Why there is no room for one more connection of this token, for people; absent: there is. */
  refusalFor?(identity: Identity): string | undefined;
  accept(transport: ServerTransport, identity: Identity): void;
}

/** Paths on which the protocol is spoken [WIRE-1]. */
const PROTOCOL_PATHS = new Set(['/ahp', '/']);

/** How long a stop waits for the other ends of sockets that are being closed. */
const CLOSE_GRACE_MS = 1_000;

/** HTTP and WebSocket of a host: access is decided here, before anything of the protocol is spoken [AUTH-1]. */
export class HostServer {
  readonly #options: ServerOptions;
  readonly #listener: Listener;
  readonly #sockets: WebSocketServer;

  constructor(options: ServerOptions) {
    this.#options = options;
    const maxPayload = options.maxFrameBytes ?? DEFAULT_MAX_CLIENT_FRAME_BYTES;
    this.#sockets = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, maxPayload, noServer: true });
    const listen = getRequestListener(this.#app().fetch);
    this.#listener = createListener(options.tls, options.log, (request, response) => {
      response.setHeaders(new Headers(WEB_HEADERS));
      const refusal = this.#refusalOf(request);
      // It answers every failure itself.
      if (refusal !== undefined) response.writeHead(403, PLAIN).end(`${refusal}\n`);
      else if (!this.#servePage(request, response)) void listen(request, response);
    });
    this.#listener.http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Listens; resolves with the port. Rejects with the system's error, such as `EADDRINUSE`. */
  start(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      const { port: server } = this.#listener;
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#options.log.error({ error }, 'the server failed'));
        resolve(this.#port());
      });
    });
  }

  /**
   * Takes no more connections; resolves when the port is free. Open sockets are for their owners to close first; those whose
   * other end does not answer that are cut.
   */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      const cut = setTimeout(() => {
        for (const socket of this.#sockets.clients) socket.terminate();
      }, CLOSE_GRACE_MS);
      this.#sockets.close();
      this.#listener.port.close(() => {
        clearTimeout(cut);
        resolve();
      });
      this.#listener.dropSilent();
      this.#listener.http.closeAllConnections();
    });
  }

  #app(): Hono {
    const app = new Hono();
    app.get('/healthz', (context) => context.text('ok\n'));
    app.get('/readyz', (context) =>
      this.#options.isReady() ? context.text('ready\n') : context.text('not ready\n', 503),
    );
    return app;
  }

  #port(): number {
    const address: AddressInfo | string | null = this.#listener.port.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  /**
   * Why a request is not this host's to answer: `Host` has to name it, which keeps a page from reaching it under a name of its own, and a
   * page that asks has to be its own or a listed one.
   */
  #refusalOf(request: IncomingMessage): string | undefined {
    const { allowedHosts, allowedOrigins } = this.#options;
    const { host, origin } = request.headers;
    const addresses = this.#addresses(request);
    if (!checkHost(host, addresses, allowedHosts)) return 'this address does not belong to the host';
    return checkOrigin(origin, addresses, allowedOrigins) ? undefined : 'this origin is not allowed';
  }

  #addresses(request: IncomingMessage): ReturnType<typeof addressesOf> {
    return addressesOf(
      { host: this.#options.host, port: this.#port(), isSecure: this.#options.tls !== undefined },
      request.socket.localAddress,
    );
  }

  #servePage(request: IncomingMessage, response: ServerResponse): boolean {
    const admit = (secret: string | undefined) =>
      this.#options.gate.admit(secret, request.socket.remoteAddress);
    return servePage(request, response, admit, this.#options.tls !== undefined);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { gate, maxFrameBytes, tls } = this.#options;
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) return refuse(socket, '403 Forbidden', refusal);
    const secret = extractToken(request, cookieName(request.headers.host, tls !== undefined));
    const admission = gate.admit(secret, request.socket.remoteAddress);
    if (!admission.isIn) {
      const { reason, waitMs } = admission;
      return refuse(socket, waitMs > 0 ? '429 Too Many Requests' : '401 Unauthorized', reason, waitMs);
    }
    const { identity } = admission;
    const path = request.url?.split('?', 1)[0] ?? '';
    if (!PROTOCOL_PATHS.has(path)) return refuse(socket, '404 Not Found', 'the protocol is spoken at /ahp');
    const isFull = this.#options.refusalFor?.(identity);
    if (isFull !== undefined) return refuse(socket, '503 Service Unavailable', isFull, FULL_WAIT_MS);
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      const limits = maxFrameBytes === undefined ? {} : { maxFrameBytes };
      this.#options.accept(wrapServerSocket(accepted, limits), identity);
    });
  }
}

/** When one that found no room may try again. */
const FULL_WAIT_MS = 5_000;

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/** `waitMs`: when to come back; 0: nothing is said of it. */
function refuse(socket: Duplex, status: string, reason: string, waitMs = 0): void {
  const body = `${reason}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `Content-Type: ${PLAIN['content-type']}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(waitMs > 0 ? [`Retry-After: ${Math.ceil(waitMs / 1_000)}`] : []),
    ...(status.startsWith('401') ? ['WWW-Authenticate: Bearer'] : []),
  ];
  // Nor does it wait for the other end of a refused one.
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
