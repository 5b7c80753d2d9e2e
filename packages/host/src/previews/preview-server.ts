import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { cookieToken, queryToken } from '../auth/verify.ts';
import type { TlsCredentials } from '../tls/credentials.ts';
import { createServer, hasSecondHost } from '../wire/http/plain-http.ts';
import type { RequestView } from '../wire/http/request-view.ts';
import type { UnauthenticatedSockets } from '../wire/http/unauthenticated-sockets.ts';
import { isForeign } from './foreign-request.ts';
import { forwardRequest, forwardUpgrade, type Program, targetOf } from './forward.ts';
import type { FoundPort } from './port-scanner.ts';
import { reachableAddress } from './ports-of-sessions.ts';
import { type PreviewCookiePlace, previewCookie, previewCookieName } from './preview-cookie.ts';
import { type Preview, type PreviewList, SIGN_IN_PATH } from './preview-list.ts';
import { type PreviewRefusal, REFUSALS, refuseRequest, refuseUpgrade } from './preview-pages.ts';
import type { PreviewSignIn } from './preview-sign-ins.ts';

/** The preview that a request is for. */
export interface Addressed {
  readonly preview: Preview;
  /** Origins under which browsers know the preview; the first is that of the request. */
  readonly origins: readonly [string, ...string[]];
  readonly cookie: PreviewCookiePlace;
}

/** Options of a server of previews. */
export interface PreviewServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
  readonly previews: PreviewList;
  readonly unauthenticated: UnauthenticatedSockets;
  viewOf(request: IncomingMessage): RequestView;
  /** The preview that a request is for, by its `Host`. */
  addressed(view: RequestView, request: IncomingMessage): Addressed | PreviewRefusal;
}

/** A request that may go to a program. */
interface Admitted {
  readonly addressed: Addressed;
  readonly signIn: PreviewSignIn;
  readonly path: string;
}

/** Time limit for the head of a request. */
const HEAD_MS = 10_000;

/** Connections of one port. */
const MAX_CONNECTIONS = 2_048;

/** Requests of a browser that has not sent the cookie of a sign-in go no further than this server. */
export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #server: Server | SecureServer;
  readonly #sockets = new Set<Socket>();

  constructor(options: PreviewServerOptions) {
    this.#options = options;
    // No limit for the whole request: uploads may take long.
    const limits = {
      headersTimeout: HEAD_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
    };
    const { tls } = options;
    this.#server =
      tls === undefined
        ? createServer(limits)
        : process.getBuiltinModule('node:https').createServer({
            ...limits,
            cert: tls.cert,
            key: tls.key,
            minVersion: 'TLSv1.2',
            handshakeTimeout: HEAD_MS,
          });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('connection', (socket: Socket) => this.#connected(socket));
    this.#server.on('request', (request, response) => void this.#request(request, response));
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** Listens; resolves with the port. Rejects with the system's error. */
  start(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve(this.port);
      });
    });
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  /** Sets the certificate of later connections. */
  useCredentials({ cert, key }: Pick<TlsCredentials, 'cert' | 'key'>): void {
    if ('setSecureContext' in this.#server)
      this.#server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  }

  /** Closes the port and all connections; resolves when the port is free. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (!this.#options.unauthenticated.admit(socket)) socket.destroy();
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admitted = this.#admit(request);
    if ('cookie' in admitted) {
      response.writeHead(303, {
        location: '/',
        'set-cookie': admitted.cookie,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-length': '0',
      });
      response.end();
      return;
    }
    if ('status' in admitted) return refuseRequest(request, response, admitted);
    // Set before the answer of the program, which may come at once.
    const place: { cut: () => void } = { cut: () => response.destroy() };
    const leave = this.#enter(admitted, () => place.cut());
    if (leave === undefined) return refuseRequest(request, response, REFUSALS.busy);
    response.once('close', leave);
    const program = await this.#programOf(request, admitted);
    if (response.destroyed) return;
    if (program === undefined) return refuseRequest(request, response, REFUSALS.gone);
    const forwarded = forwardRequest(request, response, program, () =>
      refuseRequest(request, response, REFUSALS.gone),
    );
    place.cut = forwarded.cut;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const admitted = this.#admit(request);
    if ('cookie' in admitted) return refuseUpgrade(socket, REFUSALS.method);
    if ('status' in admitted) return refuseUpgrade(socket, admitted);
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET')
      return refuseUpgrade(socket, REFUSALS.upgrade);
    const place: { cut: () => void } = { cut: () => socket.destroy() };
    const leave = this.#enter(admitted, () => place.cut());
    if (leave === undefined) return refuseUpgrade(socket, REFUSALS.busy);
    socket.once('close', leave);
    const program = await this.#programOf(request, admitted);
    if (socket.destroyed) return;
    if (program === undefined) return refuseUpgrade(socket, REFUSALS.gone);
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    const forwarded = forwardUpgrade(request, { socket, head }, program, () =>
      refuseUpgrade(socket, REFUSALS.gone),
    );
    place.cut = forwarded.cut;
  }

  /** Checks a request, in the order of what it costs. Returns what it may reach, the cookie of a new sign-in, or a refusal. */
  #admit(request: IncomingMessage): Admitted | { readonly cookie: string } | PreviewRefusal {
    const { previews, unauthenticated } = this.#options;
    const path = targetOf(request);
    if (path === undefined || hasSecondHost(request)) return REFUSALS.target;
    const addressed = this.#options.addressed(this.#options.viewOf(request), request);
    if ('status' in addressed) return addressed;
    const { preview, origins, cookie } = addressed;
    if (isForeign(request, origins)) return REFUSALS.foreign;
    if (path.startsWith('/__agenthost/')) {
      const [pathname, query = ''] = path.split('?', 2);
      if (pathname !== SIGN_IN_PATH) return REFUSALS.misdirected;
      if (request.method !== 'GET') return REFUSALS.method;
      const ticket = new URLSearchParams(query).get('ticket') ?? '';
      const secret = preview.signIns.redeem(ticket, previews.isValid);
      return secret === undefined ? REFUSALS.notSignedIn : { cookie: previewCookie(cookie, secret) };
    }
    const signIn = preview.signIns.find(cookieToken(request.headers.cookie, previewCookieName(cookie)));
    if (signIn === undefined || !previews.isValid(signIn.identity)) return REFUSALS.notSignedIn;
    unauthenticated.authenticated(request.socket);
    // Such as an address of the host's page with another port.
    if (previews.isHostSecret(queryToken(path) ?? '')) return REFUSALS.target;
    return { addressed, signIn, path };
  }

  #enter({ signIn }: Admitted, cut: () => void): (() => void) | undefined {
    return this.#options.previews.isFull ? undefined : signIn.enter(cut);
  }

  /** The program of a preview, if it runs now. */
  async #programOf(
    request: IncomingMessage,
    { addressed: { preview, origins }, path }: Admitted,
  ): Promise<(Program & { readonly path: string }) | undefined> {
    const { previews } = this.#options;
    const found = await previews.findPort(preview).catch(() => undefined);
    if (found === undefined) return undefined;
    const { address, host } = this.#options.viewOf(request);
    const connected = reachableAddress(found);
    return {
      address: connected,
      port: found.port,
      path,
      publicOrigin: origins[0],
      publicHost: host ?? '',
      clientAddress: address ?? '',
      authority: authorityOf(found, connected),
      isHostSecret: (text) => previews.isHostSecret(text),
    };
  }
}

/** The `Host` that a program expects: development servers accept `localhost`, and refuse names that they do not know. */
function authorityOf({ port }: FoundPort, address: string): string {
  const isLocal = address === '::1' || address.startsWith('127.');
  const name = isLocal ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `${name}:${port}`;
}
