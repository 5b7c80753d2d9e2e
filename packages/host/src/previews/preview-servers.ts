import type { IncomingMessage } from 'node:http';
import { limitReached } from '@agenthost/protocol';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { addressesOf, checkHost, parseAuthority } from '../auth/origin.ts';
import { trustedProxies } from '../auth/proxies.ts';
import type { Log } from '../lib/log.ts';
import type { TlsCredentials } from '../tls/credentials.ts';
import { type RequestView, viewOf } from '../wire/http/request-view.ts';
import { UnauthenticatedSockets } from '../wire/http/unauthenticated-sockets.ts';
import type { Preview, PreviewList, PreviewListeners, PreviewOrigin } from './preview-list.ts';
import { type PreviewRefusal, REFUSALS } from './preview-pages.ts';
import type { PreviewPlace } from './preview-place.ts';
import { type Addressed, PreviewServer } from './preview-server.ts';

/** Options of the listeners of previews. */
export interface PreviewServersOptions {
  /** The address that the host listens on. */
  readonly host: string;
  readonly place: PreviewPlace;
  readonly tls: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
  /** Names of the host besides its address. */
  readonly allowedHosts: readonly string[];
  /** Trusted proxies besides those on loopback. Absent: forwarded headers are ignored. */
  readonly proxies?: readonly string[] | undefined;
  readonly previews: PreviewList;
  readonly log: Log;
}

/** The ports of a host that previews are behind. */
export class PreviewServers implements PreviewListeners {
  readonly #options: PreviewServersOptions;
  readonly #unauthenticated: UnauthenticatedSockets;
  readonly #view: Parameters<typeof viewOf>[1];
  /** The server of all previews, if they have names. */
  #shared: PreviewServer | undefined;
  /** The servers of previews with ports of their own. */
  readonly #own = new Map<Preview, Promise<PreviewServer>>();
  #tls: PreviewServersOptions['tls'];
  #isStopped = false;

  constructor(options: PreviewServersOptions) {
    this.#options = options;
    this.#tls = options.tls;
    this.#unauthenticated = new UnauthenticatedSockets(options.log);
    this.#view = {
      basePath: '',
      isSecure: options.tls !== undefined,
      proxies: options.proxies === undefined ? undefined : trustedProxies(options.proxies),
    };
  }

  /** Listens, if all previews share a port; resolves with it. Rejects with the system's error. */
  async start(): Promise<number | undefined> {
    const { place } = this.#options;
    if (place.kind === 'ports') return undefined;
    const server = this.#serverOf(place.port, (view) => this.#byName(view));
    this.#shared = server;
    return server.start();
  }

  async originOf(preview: Preview): Promise<PreviewOrigin> {
    const { place } = this.#options;
    const scheme = this.#tls === undefined ? 'http' : 'https';
    if (place.kind === 'names') {
      const { scheme: given = scheme, publicPort = String(this.#shared?.port ?? '') } = place;
      return { origin: originAt(given, `${preview.label}${place.suffix}`, publicPort), isAtHost: false };
    }
    const { port } = await (this.#own.get(preview) ?? this.#listenFor(preview));
    const { host } = this.#options;
    return {
      origin: originAt(scheme, host.includes(':') ? `[${host}]` : host, String(port)),
      isAtHost: true,
    };
  }

  ended(preview: Preview): void {
    const server = this.#own.get(preview);
    this.#own.delete(preview);
    server?.then((each) => each.stop()).catch((error: unknown) => this.#logFailure(error));
  }

  /** Sets the certificate of later connections. */
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void {
    this.#tls = credentials;
    this.#shared?.useCredentials(credentials);
    for (const server of this.#own.values())
      server
        .then((each) => each.useCredentials(credentials))
        .catch((error: unknown) => this.#logFailure(error));
  }

  /** Closes all ports and connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const own = [...this.#own.values()].map((server) =>
      server.then((each) => each.stop()).catch((error: unknown) => this.#logFailure(error)),
    );
    await Promise.all([this.#shared?.stop(), ...own]);
  }

  #logFailure(error: unknown): void {
    this.#options.log.warn({ error }, 'the listener of a preview failed');
  }

  #listenFor(preview: Preview): Promise<PreviewServer> {
    const listening = this.#firstFree(preview);
    this.#own.set(preview, listening);
    listening.catch(() => {
      if (this.#own.get(preview) === listening) this.#own.delete(preview);
    });
    return listening;
  }

  /** A server on the first port of the range that no program uses. */
  async #firstFree(preview: Preview): Promise<PreviewServer> {
    const { place } = this.#options;
    const [from, to] = place.kind === 'ports' ? [place.from, place.to] : [place.port, place.port];
    for (let port = from; port <= to && !this.#isStopped; port += 1) {
      const server = this.#serverOf(port, (view, request) => this.#byPort(preview, server, view, request));
      try {
        await server.start();
        return server;
      } catch (error) {
        if (!hasCode(error, 'EADDRINUSE', 'EACCES')) throw error;
        this.#options.log.debug({ port, error: errorText(error) }, 'a port for previews is not free');
      }
    }
    throw limitReached(
      `No port for another preview is free: the host has the ports ${from} to ${to}. Dispose of a session with a preview, or start the host with more ports`,
      'previewPorts',
      to - from + 1,
    );
  }

  #serverOf(
    port: number,
    addressed: (view: RequestView, request: IncomingMessage) => Addressed | PreviewRefusal,
  ): PreviewServer {
    const { host, previews } = this.#options;
    return new PreviewServer({
      host,
      port,
      tls: this.#tls,
      previews,
      unauthenticated: this.#unauthenticated,
      viewOf: (request) => viewOf(request, this.#view),
      addressed,
    });
  }

  /** The preview that a name belongs to. */
  #byName({ host, isSecure }: RequestView): Addressed | PreviewRefusal {
    const { place, previews } = this.#options;
    const given = parseAuthority(host ?? '');
    if (given === undefined || place.kind === 'ports') return REFUSALS.misdirected;
    const label = given.name.endsWith(place.suffix) ? given.name.slice(0, -place.suffix.length) : '';
    if (!/^\d+-[a-z2-7]+$/.test(label)) return REFUSALS.misdirected;
    const preview = previews.byLabel(label);
    if (preview === undefined) return REFUSALS.unknown;
    const publicPort = place.publicPort ?? String(this.#shared?.port ?? '');
    const scheme = place.scheme ?? (this.#tls === undefined ? 'http' : 'https');
    const own = originAt(scheme, given.name, publicPort);
    // A proxy in front may have another scheme and port.
    const seen = originAt(isSecure ? 'https' : 'http', given.name, given.port);
    return { preview, origins: [own, seen], cookie: { isSecure: own.startsWith('https:') } };
  }

  /** The preview of a port, if the request names the host. */
  #byPort(
    preview: Preview,
    { port }: PreviewServer,
    { host, isSecure }: RequestView,
    request: IncomingMessage,
  ): Addressed | PreviewRefusal {
    const bound = { host: this.#options.host, port, isSecure };
    const names = this.#options.allowedHosts.flatMap((entry) => parseAuthority(entry)?.name ?? []);
    const isOwn = checkHost(host, addressesOf(bound, request.socket.localAddress), names);
    const given = parseAuthority(host ?? '');
    if (!isOwn || given === undefined) return REFUSALS.misdirected;
    const origin = originAt(isSecure ? 'https' : 'http', given.name, given.port);
    return { preview, origins: [origin], cookie: { isSecure, port } };
  }
}

/** An origin as browsers write it: without the default port of its scheme. */
const originAt = (scheme: string, name: string, port: string): string =>
  new URL(`${scheme}://${name}${port === '' ? '' : `:${port}`}`).origin;
