import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isWithinScope, type TokenScope } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { DEFAULT_MAX_CLIENT_FRAME_BYTES } from '@agenthost/rpc';
import {
  type ServerTransport,
  WEBSOCKET_SERVER_OPTIONS,
  wrapServerSocket,
} from '@agenthost/rpc/websocket-server';
import { WebSocketServer } from 'ws';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { cookieName } from '../../auth/cookie.ts';
import type { Gate } from '../../auth/gate.ts';
import type { OidcSignIn } from '../../auth/oidc/oidc-sign-in.ts';
import { addressesOf, checkHost, type ListenedAddress } from '../../auth/origin.ts';
import { trustedProxies } from '../../auth/proxies.ts';
import { extractToken, queryToken } from '../../auth/verify.ts';
import type { HttpRoutes } from '../../handler-port/http-route.ts';
import type { Log } from '../../lib/log.ts';
import type { TlsCredentials } from '../../tls/credentials.ts';
import { takeRest } from './first-request.ts';
import { foreignRefusal } from './foreign-refusal.ts';
import { createListener, type Listener } from './listener.ts';
import { servePage } from './pages.ts';
import { answer, hasBody, hasMethod, methodRefusal, type PlainAnswer, READS, refuse } from './plain-http.ts';
import { type RequestView, viewOf } from './request-view.ts';
import { serveRoute } from './serve-route.ts';
import { type UnauthenticatedLimits, UnauthenticatedSockets } from './unauthenticated-sockets.ts';
import { UnhandledBytes } from './unhandled-bytes.ts';
import { WEB_HEADERS } from './web-headers.ts';
import { WebPage, type WebPageParts } from './web-page/web-page.ts';

/** Options of a host's server. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly gate: Gate;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** The `Host` of gateways: `name:port`, or a name with the listened port. Default: none. */
  readonly announcedHost?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
  readonly log: Log;
  readonly unauthenticatedLimits?: UnauthenticatedLimits;
  /** The web page. Absent: the host shows a status page. */
  readonly page?: Omit<WebPageParts, 'log'> | undefined;
  /** Path in front of all paths, without a slash at its end. Default: none. */
  readonly basePath?: string | undefined;
  /** Trusted proxies besides those on loopback: IP addresses and subnets. Absent: forwarded headers are ignored. */
  readonly proxies?: readonly string[] | undefined;
  /** Requests that features answer, by path. `Host` and `Origin` are checked before. Default: none. */
  readonly routes?: HttpRoutes;
  /** Reads the metrics for Prometheus, which `/metrics` shows to holders of any token. Default: none. */
  metrics?(): { readonly contentType: string; readonly body: string };
  /** Version of the program that runs the host. Default: the health check reports none. */
  readonly version?: string | undefined;
  /** Whether the host accepts new work: the answer of `/readyz`. */
  isReady(): boolean;
  /** Returns the reason to refuse one more connection of this token; `undefined`: it is accepted. Default: accepts all. */
  refusalFor?(identity: TokenIdentity): string | undefined;
  accept(transport: ServerTransport, identity: TokenIdentity): void;
  /** Sign-in of browsers by OpenID Connect. Absent: none. */
  readonly oidc?: OidcSignIn | undefined;
  /** The scope whose limits of messages count for a token. Default: its own, and `observe` for `none`. */
  limitScopeOf?(identity: TokenIdentity): LimitScope;
}

/** A scope with limits of its own. */
type LimitScope = Exclude<TokenScope, 'none'>;

/** Paths that accept WebSockets [WIRE-1]. */
const PROTOCOL_PATHS = new Set(['/ahp', '/']);

/**
 * Limits of one incoming message, by scope. An incomplete message stays in memory for as long as its sender likes. Each network chunk and each
 * fragment of a message costs hundreds of bytes. Messages of `observe` tokens are short.
 */
const MESSAGE_LIMITS = {
  admin: { maxPayload: Infinity },
  interact: { maxPayload: Infinity, maxBufferedChunks: 16 * 1024, maxFragments: 1024 },
  observe: { maxPayload: 128 * 1024, maxBufferedChunks: 1024, maxFragments: 64 },
} as const;

/**
 * For all scopes but `admin`. One read may bring hundreds of messages and pings. One of them is handled in each iteration of the event loop, so that
 * hundreds of connections that flood the host do not block others. `closeTimeout`: ms until a socket that does not answer a close is destroyed.
 */
const SHARED_OPTIONS = { allowSynchronousEvents: false, closeTimeout: 5_000 } as const;

/** The path of the metrics for Prometheus. */
const METRICS_PATH = '/metrics';

/** Time that `stop` gives clients to answer the close. */
const CLOSE_GRACE_MS = 1_000;

/** The HTTP and WebSocket server of a host. It checks access before a connection exists [AUTH-1]. */
export class HostServer {
  readonly #options: ServerOptions;
  readonly #listener: Listener;
  readonly #unauthenticated: UnauthenticatedSockets;
  readonly #unhandled = new UnhandledBytes();
  readonly #sockets: Record<LimitScope, WebSocketServer>;
  readonly #page: WebPage | undefined;
  readonly #viewOf: (request: IncomingMessage) => RequestView;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { page, log, basePath = '', tls, proxies } = options;
    this.#page = page === undefined ? undefined : new WebPage({ ...page, log });
    const viewOptions = {
      basePath,
      isSecure: tls !== undefined,
      proxies: proxies === undefined ? undefined : trustedProxies(proxies),
    };
    this.#viewOf = (request) => viewOf(request, viewOptions);
    const socketsOf = (scope: LimitScope): WebSocketServer => {
      const limits = MESSAGE_LIMITS[scope];
      return new WebSocketServer({
        ...WEBSOCKET_SERVER_OPTIONS,
        ...(scope === 'admin' ? {} : SHARED_OPTIONS),
        ...limits,
        maxPayload: Math.min(limits.maxPayload, options.maxFrameBytes ?? DEFAULT_MAX_CLIENT_FRAME_BYTES),
        noServer: true,
      });
    };
    this.#sockets = {
      admin: socketsOf('admin'),
      interact: socketsOf('interact'),
      observe: socketsOf('observe'),
    };
    this.#unauthenticated = new UnauthenticatedSockets(options.log, options.unauthenticatedLimits);
    const parts = { unauthenticated: this.#unauthenticated, log: options.log };
    this.#listener = createListener(options.tls, parts, (request, response) => {
      response.setHeaders(WEB_HEADERS);
      // One request per connection, except for files of the page. Later requests and bodies are not read; a body could arrive for half a minute.
      response.setHeader('connection', 'close');
      if (!hasBody(request)) request.socket.pause();
      if (queryToken(request.url) !== undefined) response.setHeader('referrer-policy', 'no-referrer');
      const view = this.#viewOf(request);
      const refusal = this.#refusalOf(request, view);
      const health = refusal ?? this.#healthOf(request, view);
      const { routes = {}, metrics } = this.#options;
      const route = Object.hasOwn(routes, view.path) ? routes[view.path] : undefined;
      if (health !== undefined) answer(response, health);
      else if (route !== undefined) serveRoute({ request, response }, route, log);
      else if (view.path === METRICS_PATH && metrics !== undefined)
        this.#answerMetrics(request, response, view, metrics);
      else if (view.path === '/ahp') this.#answerWithoutUpgrade(request, response);
      else if (!this.#servePage(request, response, view))
        answer(response, { status: 404, reason: NO_SUCH_PATH });
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

  /** Sets the certificate of later connections. Throws if the host listens without TLS. */
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void {
    this.#listener.useCredentials(credentials);
  }

  /**
   * Accepts no more connections; resolves when the port is free. The owners of open sockets close them first. Sockets whose client does not
   * answer the close are destroyed.
   */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      const cut = setTimeout(() => {
        for (const { clients } of Object.values(this.#sockets))
          for (const socket of clients) socket.terminate();
      }, CLOSE_GRACE_MS);
      for (const sockets of Object.values(this.#sockets)) sockets.close();
      this.#listener.port.close(() => {
        clearTimeout(cut);
        resolve();
      });
      this.#listener.dropSilent();
      this.#listener.http.closeAllConnections();
    });
  }

  /** The answer to health checks, which need no token; `undefined` for other paths. */
  #healthOf(request: IncomingMessage, { path }: RequestView): PlainAnswer | undefined {
    if (path !== '/healthz' && path !== '/readyz') return undefined;
    if (!hasMethod(request, READS)) return methodRefusal(READS);
    if (path === '/healthz') return { status: 200, reason: 'ok' };
    return this.#options.isReady() ? { status: 200, reason: 'ready' } : { status: 503, reason: 'not ready' };
  }

  #port(): number {
    const address: AddressInfo | string | null = this.#listener.port.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  #refusalOf(request: IncomingMessage, view: RequestView): PlainAnswer | undefined {
    const allowed = { ...this.#options, allowedHosts: this.#allowedHosts() };
    return foreignRefusal(request, view, this.#listened(request), allowed);
  }

  #listened({ socket }: IncomingMessage): readonly ListenedAddress[] {
    const { host, tls } = this.#options;
    return addressesOf({ host, port: this.#port(), isSecure: tls !== undefined }, socket.localAddress);
  }

  #allowedHosts(): readonly string[] {
    const { allowedHosts, announcedHost } = this.#options;
    if (announcedHost === undefined) return allowedHosts;
    const hasPort = /:\d+$/.test(announcedHost);
    return [...allowedHosts, hasPort ? announcedHost : `${announcedHost}:${this.#port()}`];
  }

  #servePage(request: IncomingMessage, response: ServerResponse, view: RequestView): boolean {
    const { gate, version = '', oidc } = this.#options;
    const [cookie, page] = [cookieName(view), this.#page];
    const isOwnHost = (name: string | undefined): boolean =>
      checkHost(name, this.#listened(request), this.#allowedHosts());
    return servePage({ request, response, view, cookie, gate, page, isOwnHost, oidc, version });
  }

  /** Returns the token behind a request for a connection, or the answer that refuses it [AUTH-1]. `allow`: the methods of the path. */
  #decide(
    request: IncomingMessage,
    allow: 'GET' | typeof READS,
  ): { readonly identity: TokenIdentity } | PlainAnswer {
    const view = this.#viewOf(request);
    const refusal = this.#refusalOf(request, view);
    if (refusal !== undefined) return refusal;
    const admission = this.#options.gate.admit(extractToken(request, cookieName(view)), view.address);
    if (!admission.isIn) {
      const { reason, waitMs } = admission;
      return { status: waitMs > 0 ? 429 : 401, reason, waitMs };
    }
    if (!PROTOCOL_PATHS.has(view.path)) return { status: 404, reason: NO_SUCH_PATH };
    if (!hasMethod(request, allow)) return methodRefusal(allow);
    const isFull = this.#options.refusalFor?.(admission.identity);
    if (isFull !== undefined) return { status: 503, reason: isFull, waitMs: FULL_WAIT_MS };
    return { identity: admission.identity };
  }

  #answerMetrics(
    request: IncomingMessage,
    response: ServerResponse,
    view: RequestView,
    read: NonNullable<ServerOptions['metrics']>,
  ): void {
    if (!hasMethod(request, READS)) return answer(response, methodRefusal(READS));
    const admission = this.#options.gate.admit(extractToken(request, cookieName(view)), view.address);
    if (!admission.isIn) {
      const { reason, waitMs } = admission;
      return answer(response, { status: waitMs > 0 ? 429 : 401, reason, waitMs });
    }
    if (!isWithinScope(admission.identity.scope, 'observe'))
      return answer(response, { status: 403, reason: 'metrics take a token of scope observe' });
    const { contentType, body } = read();
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  /**
   * A plain request to the path of WebSockets gets the answer that an upgrade would get. Clients ask for it because browsers and Node do not show
   * them the answer to a refused upgrade.
   */
  #answerWithoutUpgrade(request: IncomingMessage, response: ServerResponse): void {
    const decided = this.#decide(request, READS);
    const isIn = 'identity' in decided;
    if (isIn) response.setHeader('upgrade', 'websocket');
    answer(response, isIn ? UPGRADE_REQUIRED : decided);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const decided = this.#decide(request, 'GET');
    if (!('identity' in decided)) return refuse(socket, decided);
    const { tokenHash, scope } = decided.identity;
    const limitScope =
      this.#options.limitScopeOf?.(decided.identity) ?? (scope === 'none' ? 'observe' : scope);
    const sockets = this.#sockets[limitScope];
    const begun = Buffer.concat([head, takeRest(request.socket)]);
    sockets.handleUpgrade(request, socket, begun, (accepted) => {
      this.#unauthenticated.authenticated(request.socket);
      const { maxPayload: maxFrameBytes } = sockets.options;
      const transport = wrapServerSocket(accepted, defined({ maxFrameBytes }));
      this.#unhandled.watch(
        { tokenHash, scope: limitScope },
        { stream: socket, socket: accepted, transport },
      );
      this.#options.accept(transport, decided.identity);
    });
  }
}

/** Sent as `Retry-After` when the host has no room for a connection. */
const FULL_WAIT_MS = 5_000;

const NO_SUCH_PATH = 'not found: clients connect by WebSocket at /ahp';

const UPGRADE_REQUIRED: PlainAnswer = {
  status: 426,
  reason: 'this path needs a WebSocket: connect with ws:// or wss://',
};
