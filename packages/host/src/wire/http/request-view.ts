import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isBasePath } from '../../auth/base-path.ts';
import { includesAddress } from '../../auth/proxies.ts';
import { pathOf } from './plain-http.ts';

/**
 * Header of a gateway: the `Host` that its client sent. Unlike a forwarded host it changes no check of requests, so hosts need no list of the names of
 * gateways. Only the sign-in by OpenID Connect requires that the host knows the name.
 */
export const PUBLIC_HOST = 'x-agenthost-public-host';

/** A request as its client sent it: a trusted proxy in front may have changed host, scheme, address and path. */
export interface RequestView {
  /** The path below the base path. It begins with `/`. */
  readonly path: string;
  /** The base path of links, redirects and cookies: `''`, or a path without a slash at its end. */
  readonly base: string;
  /** The `Host` that the client sent. */
  readonly host: string | undefined;
  /** The host that browsers see in the address of a page: that which a trusted proxy names in {@link PUBLIC_HOST}, else `host`. It was not checked. */
  readonly publicHost: string | undefined;
  /** Whether the client's connection is encrypted. */
  readonly isSecure: boolean;
  /** The client's address. */
  readonly address: string | undefined;
  /** Whether a trusted proxy named the host. */
  readonly isHostForwarded: boolean;
  /** Whether the request came directly: no proxy, not even an untrusted one, added forwarded headers. */
  readonly isDirect: boolean;
}

/** Settings of the host for a view. */
export interface ViewOptions {
  /** `''`, or a path without a slash at its end. */
  readonly basePath: string;
  /** Whether the host listens with TLS. */
  readonly isSecure: boolean;
  /** The addresses of trusted proxies; absent: forwarded headers are ignored. */
  readonly proxies?: BlockList | undefined;
}

/**
 * Reads the forwarded headers of a trusted proxy, and removes the base path. A path without the base path stays as it is, because a proxy may
 * have removed it.
 */
export function viewOf(request: IncomingMessage, options: ViewOptions): RequestView {
  const { headers, socket } = request;
  const { proxies, basePath } = options;
  const path = pathOf(request);
  const isDirect = headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;
  if (proxies === undefined || !includesAddress(proxies, socket.remoteAddress)) {
    return {
      path: withoutBase(path, [basePath]),
      base: basePath,
      host: headers.host,
      publicHost: headers.host,
      isSecure: options.isSecure,
      address: socket.remoteAddress,
      isHostForwarded: false,
      isDirect,
    };
  }
  const told = (name: string): string | undefined => lastOf(headers[`x-forwarded-${name}`]);
  const host = told('host');
  const named = headers[PUBLIC_HOST];
  const prefix = told('prefix')?.replace(/\/+$/, '');
  const base = prefix !== undefined && (prefix === '' || isBasePath(prefix)) ? prefix : basePath;
  return {
    path: withoutBase(path, [base, basePath]),
    base,
    host: host ?? headers.host,
    publicHost: typeof named === 'string' && named !== '' ? named : (host ?? headers.host),
    isSecure: ['https', 'wss'].includes(told('proto')?.toLowerCase() ?? (options.isSecure ? 'https' : '')),
    address: clientAddress(headers['x-forwarded-for'], proxies) ?? socket.remoteAddress,
    isHostForwarded: host !== undefined,
    isDirect,
  };
}

/** Node joins equal headers with commas. The nearest proxy, which is the trusted one, adds its value at the end. */
const lastOf = (header: string | readonly string[] | undefined): string | undefined =>
  String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim() || undefined;

/** The last address that is not a trusted proxy: earlier addresses may be forged. */
function clientAddress(
  header: string | readonly string[] | undefined,
  proxies: BlockList,
): string | undefined {
  const addresses = String(header ?? '')
    .split(',')
    .map((each) => plainAddress(each.trim()));
  const client = addresses.findLast((address) => !includesAddress(proxies, address));
  return client !== undefined && isIP(client) !== 0 ? client : undefined;
}

/** An address without brackets and port. */
const plainAddress = (text: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;

function withoutBase(path: string, bases: readonly string[]): string {
  for (const base of bases) {
    if (base === '') continue;
    if (path === base) return '/';
    if (path.startsWith(`${base}/`)) return path.slice(base.length);
  }
  return path;
}
