import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isCellName } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { addressesOf } from '../auth/origin.ts';
import { includesAddress, trustedProxies } from '../auth/proxies.ts';
import { cookieToken, extractToken, queryToken } from '../auth/verify.ts';
import { JournalError } from '../journal/journal.ts';
import { type Clock, steadyNow, systemClock, systemTimers, type Timers } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import type { TlsCredentials } from '../tls/credentials.ts';
import { takeRest } from '../wire/http/first-request.ts';
import { foreignRefusal, GATEWAY_SETTINGS } from '../wire/http/foreign-refusal.ts';
import { createListener, type Listener } from '../wire/http/listener.ts';
import { answer, hasBody, hasMethod, type PlainAnswer, READS, refuse } from '../wire/http/plain-http.ts';
import { type RequestView, viewOf } from '../wire/http/request-view.ts';
import { bodyRefusal } from '../wire/http/small-body.ts';
import { TOO_MANY_UNAUTHENTICATED, UnauthenticatedSockets } from '../wire/http/unauthenticated-sockets.ts';
import { isOfElsewhere, isWindow } from '../wire/http/visit.ts';
import { WEB_HEADERS } from '../wire/http/web-headers.ts';
import { isNavigation } from '../wire/http/web-page/web-page.ts';
import {
  DOWN,
  ELSEWHERE,
  NO_DATABASE,
  NO_HOST,
  NO_TABLES,
  NO_TOKEN,
  REFUSED_TOKEN,
  unreachable,
} from './answers.ts';
import { CellDirectory } from './directory.ts';
import { forwardRequest, forwardUpgrade, type Outgoing } from './forward.ts';
import { forwardedHeaders, forwardedPath } from './forwarded-request.ts';
import { HostFaults } from './host-faults.ts';
import { pathOfCell } from './lists.ts';
import { readBody, sendJson, serveOwn } from './own-pages.ts';
import { signInPage } from './pages.ts';
import { PendingUpgrade } from './pending-upgrade.ts';
import { type ReachableCell, reachCell } from './reachability.ts';
import { GatewaySignIns } from './sign-ins.ts';
import { connectUpstream, OtherMachineError, UnansweredLimit } from './upstream.ts';

/** Options of a gateway. */
export interface GatewayOptions {
  /** The database of the cells, as a `postgres://` URL without the parameter `cell`. Reading its tables `cells` and `sessions` suffices. */
  readonly url: string;
  /** Default: that of the environment variable PGPASSWORD or of the password file. */
  readonly password?: string | undefined;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 4710. 0: any free port. */
  readonly port?: number;
  /** Certificate and key. Absent: plain HTTP. */
  readonly tls?: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
  /** The token of the gateway. A client that sends it has the rights of the owner on all hosts. At least 32 characters. */
  readonly token: string;
  /** The owner's token of a cell's host. `undefined`: the gateway has none, and refuses its clients. Default: the token of the gateway. */
  readonly tokenOf?: (cell: string) => string | undefined;
  /** Names besides the listened address under which clients reach the gateway. */
  readonly allowedHosts?: readonly string[];
  /** Origins of other pages that may connect. */
  readonly allowedOrigins?: readonly string[];
  /** Addresses of trusted proxies in front of the gateway, besides loopback. Absent: forwarded headers are ignored. */
  readonly proxies?: readonly string[] | undefined;
  /** Version that pages show. Default: ''. */
  readonly version?: string;
  readonly log?: Log;
  /** Called with a line for people when a host cannot be reached, or does not accept the token of the gateway. */
  readonly tell?: ((line: string) => void) | undefined;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** A number from 0 to 1, for the choice between equally loaded hosts. */
  readonly random?: () => number;
}

/** Shorter tokens could be guessed. A gateway without a state cannot slow guesses down. */
export const MIN_GATEWAY_TOKEN_LENGTH = 32;

const DEFAULT_PORT = 4710;

/** `/h/<cell>`, and the rest of the path. */
const CELL_PATH = /^\/h\/([^/]+)(\/.*)?$/;

/** A request for a cell. */
interface CellRequest {
  readonly request: IncomingMessage;
  readonly view: RequestView;
  readonly cell: ReachableCell;
  /** The path below that of the cell. */
  readonly path: string;
}

/**
 * One address for all hosts of a database. It routes `/h/<cell>/…` to the host that holds the cell's lease, lists the sessions of all hosts, and
 * chooses hosts for new sessions. It keeps no state, so any number of gateways can run. When another host takes a cell, the gateway closes the connections of
 * that cell, and its clients reconnect.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #log: Log;
  readonly #directory: CellDirectory;
  readonly #signIns: GatewaySignIns;
  readonly #faults: HostFaults;
  readonly #unauthenticated: UnauthenticatedSockets;
  readonly #unanswered = new UnansweredLimit();
  readonly #timers: Timers;
  readonly #listener: Listener;
  readonly #open = new Set<Duplex>();
  readonly #viewOf: (request: IncomingMessage) => RequestView;

  /** Throws for a token that is too short. */
  constructor(options: GatewayOptions) {
    const { token, tls, proxies, clock = systemClock, timers = systemTimers } = options;
    if (token.length < MIN_GATEWAY_TOKEN_LENGTH)
      throw new Error(`the token of the gateway needs at least ${MIN_GATEWAY_TOKEN_LENGTH} characters`);
    this.#options = options;
    this.#log = options.log ?? silentLog;
    const server = { url: options.url, password: options.password };
    this.#directory = new CellDirectory({ server, clock, timers, log: this.#log });
    this.#faults = new HostFaults(() => steadyNow(clock));
    this.#signIns = new GatewaySignIns(token, () => clock.now());
    this.#timers = timers;
    const trusted = proxies === undefined ? undefined : trustedProxies(proxies);
    const isProxy = (address: string | undefined): boolean =>
      trusted !== undefined && includesAddress(trusted, address);
    this.#unauthenticated = new UnauthenticatedSockets(this.#log, undefined, isProxy);
    const viewOptions = { basePath: '', isSecure: tls !== undefined, proxies: trusted };
    this.#viewOf = (request) => viewOf(request, viewOptions);
    const parts = { unauthenticated: this.#unauthenticated, log: this.#log };
    this.#listener = createListener(tls, parts, (request, response) => {
      this.#request(request, response).catch((error: unknown) => this.#failed(response, error));
    });
    this.#listener.http.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      this.#upgrade(request, socket, head);
    });
  }

  /** Connects to the database, listens, and resolves with the address. Rejects with `JournalError` or the system's error. */
  async start(): Promise<{ readonly url: string; readonly port: number }> {
    try {
      await this.#directory.open();
      const port = await this.#listen();
      const { host = '127.0.0.1', tls } = this.#options;
      const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      return { url: `${tls === undefined ? 'http' : 'https'}://${authority}`, port };
    } catch (error) {
      await this.#directory.close();
      throw error;
    }
  }

  /** Closes all connections; resolves when the port is free. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#listener.port.close(() => resolve()));
    this.#listener.dropSilent();
    this.#listener.http.closeAllConnections();
    for (const socket of this.#open) socket.destroy();
    await Promise.all([closed, this.#directory.close()]);
  }

  /** Sets the certificate of later connections. Throws without TLS. */
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void {
    this.#listener.useCredentials(credentials);
  }

  #listen(): Promise<number> {
    const { host = '127.0.0.1', port = DEFAULT_PORT } = this.#options;
    return new Promise((resolve, reject) => {
      const { port: server } = this.#listener;
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#log.error({ error }, 'the server failed'));
        resolve(this.#port());
      });
    });
  }

  #port(): number {
    const address: AddressInfo | string | null = this.#listener.port.address();
    return typeof address === 'object' && address !== null
      ? address.port
      : (this.#options.port ?? DEFAULT_PORT);
  }

  #refusalOf(request: IncomingMessage, view: RequestView): PlainAnswer | undefined {
    if (!this.#unauthenticated.countFor(request.socket, view.address)) return TOO_MANY;
    const { host = '127.0.0.1', tls, allowedHosts = [], allowedOrigins = [] } = this.#options;
    const bound = { host, port: this.#port(), isSecure: tls !== undefined };
    const listened = addressesOf(bound, request.socket.localAddress);
    return foreignRefusal(request, view, listened, {
      allowedHosts,
      allowedOrigins,
      settings: GATEWAY_SETTINGS,
    });
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('connection', 'close');
    if (!hasBody(request)) request.socket.pause();
    const view = this.#viewOf(request);
    const refusal =
      this.#refusalOf(request, view) ??
      (hasBody(request) ? bodyRefusal(request) : undefined) ??
      (await this.#healthOf(request, view));
    if (refusal !== undefined) return this.#answer(response, refusal);
    if (!CELL_PATH.test(view.path)) {
      response.setHeaders(WEB_HEADERS);
      return serveOwn({
        request,
        response,
        view,
        isSignedIn: this.#isSignedIn(request, view),
        directory: this.#directory,
        faults: this.#faults,
        random: this.#options.random ?? Math.random,
        signIn: (token) => this.#signIn(response, view, token),
        signOut: () => this.#setCookie(response, view, undefined),
      });
    }
    const found = await this.#find(request, view);
    if ('status' in found) return this.#answer(response, found);
    const body = hasBody(request) ? await readBody(request) : Buffer.alloc(0);
    if (this.#answerSignIn(found, response, body)) return;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (response.destroyed) return;
    const outgoing = await this.#outgoing(found, gone.signal);
    if (outgoing === undefined) return;
    if ('status' in outgoing) return this.#answer(response, outgoing);
    response.removeHeader('connection');
    forwardRequest({ response, body }, outgoing, (told) => this.#answer(response, told));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const begun = Buffer.concat([head, takeRest(request.socket)]);
    const view = this.#viewOf(request);
    const refusal = this.#refusalOf(request, view);
    if (refusal !== undefined) return refuse(socket, refusal);
    const pending = new PendingUpgrade(socket, begun, this.#timers);
    this.#forward(request, view, pending).catch((error: unknown) => pending.refuse(this.#answerTo(error)));
  }

  async #forward(request: IncomingMessage, view: RequestView, pending: PendingUpgrade): Promise<void> {
    const found = await this.#find(request, view);
    if ('status' in found) return pending.refuse(found);
    const outgoing = await this.#outgoing(found, pending.signal);
    if (outgoing === undefined) return;
    if ('status' in outgoing) return pending.refuse(outgoing);
    const { socket } = pending;
    // Clients reconnect. A paused former holder would not answer them.
    const unwatch = this.#directory.watch(found.cell, () => socket.destroy());
    socket.once('close', unwatch);
    forwardUpgrade(pending, outgoing, () => this.#unauthenticated.authenticated(request.socket));
  }

  /** The cell of a request, or the answer to a request that cannot be routed. */
  async #find(request: IncomingMessage, view: RequestView): Promise<CellRequest | PlainAnswer> {
    const [, name = '', path = '/'] = CELL_PATH.exec(view.path) ?? [];
    if (!isCellName(name)) return NO_HOST;
    const cell = await this.#directory.find(name);
    if (cell === undefined) return NO_HOST;
    const reached = reachCell(cell);
    if (reached === 'down') return DOWN;
    return reached === 'elsewhere' ? ELSEWHERE : { request, view, path, cell: reached };
  }

  /** Connects to the host of a cell. `undefined`: the client is gone. */
  async #outgoing(
    { request, view, cell, path }: CellRequest,
    signal: AbortSignal,
  ): Promise<PlainAnswer | Outgoing | undefined> {
    const { announcement, name } = cell;
    const { tokenOf = () => this.#options.token } = this.#options;
    const isSignedIn = this.#isSignedIn(request, view);
    const token = isSignedIn ? tokenOf(name) : undefined;
    // The host must not get the token of the gateway, which other hosts may accept.
    if (isSignedIn && token === undefined) return NO_TOKEN;
    // Further attempts would count as guesses of the client.
    if (isSignedIn && this.#faults.of(cell) === 'refusesToken') return REFUSED_TOKEN;
    const answered = await this.#unanswered.enter(announcement.url, signal);
    if (answered === undefined) return signal.aborted ? undefined : DOWN;
    try {
      const socket = await connectUpstream(cell, signal);
      this.#faults.clear(cell, 'unreachable');
      socket.once('close', answered);
      if (signal.aborted) return void socket.destroy();
      return {
        socket,
        method: request.method ?? 'GET',
        path: forwardedPath(request, path, token),
        headers: forwardedHeaders(request, {
          authority: new URL(announcement.url).host,
          prefix: pathOfCell(name),
          view,
          token,
        }),
        answered,
        // A sign-in form with a wrong token of its own gets this status by POST. An expired sign-in gets it without the header.
        replacement: ({ statusCode, headers }) =>
          statusCode === 401 &&
          token !== undefined &&
          hasMethod(request, READS) &&
          headers['www-authenticate'] !== undefined
            ? this.#refusedToken(cell)
            : undefined,
      };
    } catch (error) {
      answered();
      if (signal.aborted) return undefined;
      if (this.#faults.add(cell, 'unreachable')) {
        const { url } = announcement;
        const why = errorText(error);
        this.#log.warn({ host: name, url, why }, 'a host cannot be reached at the address that it announces');
        this.#options.tell?.(
          `host ${name} cannot be reached at the address that it announces, ${url}: ${why}`,
        );
      }
      if (error instanceof OtherMachineError) return ELSEWHERE;
      return unreachable(isSignedIn ? announcement.url : undefined);
    }
  }

  #refusedToken(cell: ReachableCell): PlainAnswer {
    if (this.#faults.add(cell, 'refusesToken')) {
      const { name, announcement } = cell;
      const fault = 'does not accept the token that the gateway has for it';
      const step = 'correct --host-tokens, and restart the gateway';
      this.#log.error({ host: name, url: announcement.url }, `a host ${fault}: ${step}`);
      this.#options.tell?.(`host ${name} ${fault}: ${step}`);
    }
    return REFUSED_TOKEN;
  }

  /**
   * Answers requests for the sign-in of browsers below the path of a cell, as a host answers them: a browser signs in once, for all hosts. Returns
   * false for all other requests, and for tokens that a host may know.
   */
  #answerSignIn({ request, view, path }: CellRequest, response: ServerResponse, body: Buffer): boolean {
    const isSignedIn = this.#hasCookie(request, view);
    if (path === '/sign-in/state' && isSignedIn && hasMethod(request, READS)) {
      response.setHeaders(WEB_HEADERS);
      const { version = '' } = this.#options;
      sendJson(response, { signedIn: true, scope: 'admin', tokenPlace: TOKEN_PLACE, version });
      return true;
    }
    if (path === '/sign-in' && request.method === 'POST' && !isOfElsewhere(request)) {
      const token = new URLSearchParams(body.toString('utf8')).get('token')?.trim() ?? '';
      if (!this.#signIn(response, view, token)) return false;
      response.setHeaders(WEB_HEADERS);
      sendJson(response, { ok: true, scope: 'admin' });
      return true;
    }
    if (path === '/logout' && request.method === 'POST' && isSignedIn && !isOfElsewhere(request)) {
      this.#setCookie(response, view, undefined);
      response.setHeaders(WEB_HEADERS);
      sendJson(response, { ok: true });
      return true;
    }
    return this.#answerLink(request, view, response);
  }

  /** A link with the token of the gateway: signs the browser in, and takes the token out of the address. */
  #answerLink(request: IncomingMessage, view: RequestView, response: ServerResponse): boolean {
    const token = queryToken(request.url);
    if (!this.#signIns.isToken(token) || !isNavigation(request) || !isWindow(request)) return false;
    response.setHeaders(WEB_HEADERS);
    const target = forwardedPath(request, view.path, token);
    // Another page may link here with its own token.
    if (isOfElsewhere(request)) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(signInPage(target));
      return true;
    }
    this.#setCookie(response, view, this.#signIns.begin());
    response.writeHead(303, { location: target, 'referrer-policy': 'no-referrer' }).end();
    return true;
  }

  #isSignedIn(request: IncomingMessage, view: RequestView): boolean {
    const secret = extractToken(request, cookieNameOf(view));
    return this.#signIns.isToken(secret) || this.#signIns.isValid(secret);
  }

  #hasCookie(request: IncomingMessage, view: RequestView): boolean {
    return this.#signIns.isValid(cookieToken(request.headers.cookie, cookieNameOf(view)));
  }

  #signIn(response: ServerResponse, view: RequestView, token: string): boolean {
    if (!this.#signIns.isToken(token)) return false;
    this.#setCookie(response, view, this.#signIns.begin());
    return true;
  }

  #setCookie(response: ServerResponse, view: RequestView, secret: string | undefined): void {
    const attributes = `Path=/; HttpOnly; SameSite=Strict${view.isSecure ? '; Secure' : ''}`;
    const seconds = secret === undefined ? 0 : this.#signIns.maxAgeSeconds;
    response.setHeader(
      'set-cookie',
      `${cookieNameOf(view)}=${secret ?? ''}; ${attributes}; Max-Age=${seconds}`,
    );
  }

  async #healthOf(request: IncomingMessage, { path }: RequestView): Promise<PlainAnswer | undefined> {
    if ((path !== '/healthz' && path !== '/readyz') || !hasMethod(request, READS)) return undefined;
    if (path === '/healthz') return { status: 200, reason: 'ok' };
    return (await this.#directory.isReachable())
      ? { status: 200, reason: 'ready' }
      : { status: 503, reason: 'not ready' };
  }

  #failed(response: ServerResponse, error: unknown): void {
    if (response.headersSent) response.destroy();
    else this.#answer(response, this.#answerTo(error));
  }

  #answer(response: ServerResponse, told: PlainAnswer): void {
    response.setHeaders(WEB_HEADERS);
    response.setHeader('connection', 'close');
    answer(response, told);
  }

  #answerTo(error: unknown): PlainAnswer {
    if (error instanceof JournalError) return error.code === 'missing' ? NO_TABLES : NO_DATABASE;
    this.#log.error({ error }, 'a request failed inside the gateway');
    return { status: 500, reason: 'the gateway failed to answer' };
  }
}

/** The name of the cookie. It has the port, as that of a host: gateways and hosts on one machine need different cookies. */
function cookieNameOf({ host, isSecure }: RequestView): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  return `${isSecure ? '__Host-' : ''}agenthost_gateway${port === undefined ? '' : `_${port}`}`;
}

const TOKEN_PLACE = 'the person who started the gateway has its token';

const TOO_MANY: PlainAnswer = { status: 503, reason: TOO_MANY_UNAUTHENTICATED, waitMs: 5_000 };
