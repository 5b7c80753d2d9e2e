import type { IncomingMessage } from 'node:http';
import { connectionHeaders, headerPairs } from '../lib/http-headers.ts';

/** Where a request comes from and goes to. */
export interface Route {
  /** The origin of the preview, as the browser knows it. */
  readonly publicOrigin: string;
  /** The `Host` that the browser sent. */
  readonly publicHost: string;
  /** The address of the browser. */
  readonly clientAddress: string;
  /** The host and port that the program expects, such as `localhost:5173`. */
  readonly authority: string;
  /** Whether a text is a secret of the host. */
  isHostSecret(text: string): boolean;
}

/** Headers that the host sets itself, or answers itself. */
const REPLACED = new Set([
  'host',
  'expect',
  'forwarded',
  'via',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-server',
]);

/**
 * Headers of answers that would affect more than the preview: the host may have the same name, or a domain above it. Other services of a name would be
 * forced to TLS, or lose their cookies.
 */
const WITHHELD = new Set(['strict-transport-security', 'clear-site-data', 'alt-svc', 'public-key-pins']);

/** Names of cookies of hosts and previews. */
const HOST_COOKIE = /^(?:__Host-|__Secure-)?agenthost_/i;

/** The headers of a request for the program, as names and values alternately. */
export function requestHeaders({ rawHeaders, headers }: IncomingMessage, route: Route): string[] {
  const dropped = connectionHeaders(headers.connection);
  const kept: string[] = [];
  for (const [name, value] of headerPairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (dropped.has(key) || REPLACED.has(key)) continue;
    const given = forProgram(key, value, route);
    if (given !== undefined) kept.push(name, given);
  }
  const { publicHost, publicOrigin, clientAddress, authority } = route;
  return [
    ...['Host', authority],
    ...kept,
    ...['X-Forwarded-For', clientAddress],
    ...['X-Forwarded-Host', publicHost],
    ...['X-Forwarded-Proto', publicOrigin.startsWith('https:') ? 'https' : 'http'],
  ];
}

function forProgram(key: string, value: string, route: Route): string | undefined {
  const { publicOrigin, authority, isHostSecret } = route;
  switch (key) {
    case 'cookie':
      return withoutHostCookies(value, isHostSecret);
    case 'authorization':
      return isHostSecret(/^\S+ +(\S+) *$/.exec(value)?.[1] ?? '') ? undefined : value;
    // The origin was checked: it is that of the preview.
    case 'origin':
      return `http://${authority}`;
    case 'referer':
      return value === publicOrigin || value.startsWith(`${publicOrigin}/`)
        ? `http://${authority}${value.slice(publicOrigin.length)}`
        : value;
    default:
      return value;
  }
}

function withoutHostCookies(header: string, isHostSecret: (text: string) => boolean): string | undefined {
  const kept = header.split(';').filter((pair) => {
    const [name = '', ...rest] = pair.trim().split('=');
    return !HOST_COOKIE.test(name) && !isHostSecret(rest.join('=').replace(/^"(.*)"$/, '$1'));
  });
  return kept.map((pair) => pair.trim()).join('; ') || undefined;
}

/** The headers of a program's answer for the browser, as names and values alternately. */
export function answerHeaders(
  { rawHeaders, headers }: IncomingMessage,
  { authority, publicOrigin }: Route,
): string[] {
  const dropped = connectionHeaders(headers.connection);
  const kept: string[] = [];
  for (const [name, value] of headerPairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (dropped.has(key) || WITHHELD.has(key)) continue;
    if (key === 'set-cookie') {
      const cookie = ownCookie(value);
      if (cookie !== undefined) kept.push(name, cookie);
    } else if (key === 'location' || key === 'content-location') kept.push(name, atPreview(value, authority));
    else if (key === 'access-control-allow-origin' && value === `http://${authority}`)
      kept.push(name, publicOrigin);
    else kept.push(name, value);
  }
  return kept;
}

/** A cookie for the name of the preview alone. `undefined`: its name is one of the host's. */
function ownCookie(value: string): string | undefined {
  if (HOST_COOKIE.test(value.trimStart())) return undefined;
  return value
    .split(';')
    .filter((part, index) => index === 0 || !/^\s*domain\s*=/i.test(part))
    .join(';');
}

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

/** Turns an address of the program into a path at the preview. */
function atPreview(address: string, authority: string): string {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  const own = URL.parse(`http://${authority}`);
  if (url === null || own === null || (url.port || '80') !== (own.port || '80')) return address;
  if (url.hostname !== own.hostname && !LOCAL_NAMES.has(url.hostname)) return address;
  return `${url.pathname.replace(/^\/+/, '/')}${url.search}${url.hash}`;
}
