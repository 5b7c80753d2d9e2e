import type { IncomingMessage } from 'node:http';
import type { RequestView } from '../wire/http/request-view.ts';

/** Headers of one connection (RFC 9110, 7.6.1). `Connection` may name more. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Headers that the gateway sets itself. The gateway has checked the `Origin`, so hosts need no list of the public names of gateways.
 */
const REPLACED = [
  'host',
  'origin',
  'content-length',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-prefix',
  'x-forwarded-proto',
];

/** How a request goes on to a host. */
export interface ForwardedTo {
  /** `host:port` of the host. */
  readonly authority: string;
  /** Path of the cell at the gateway, without a slash at its end. */
  readonly prefix: string;
  readonly view: RequestView;
  /** Name of the gateway's cookie, which no host gets. */
  readonly cookie: string;
  /** Token that takes the place of all credentials of the request. Absent: these go on, and the host decides. */
  readonly token: string | undefined;
}

/** The path and query of a request below the path of its cell. Without tokens if the gateway sends its own. */
export function forwardedPath(
  { url = '' }: IncomingMessage,
  path: string,
  token: string | undefined,
): string {
  const query = url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  if (token === undefined) return query === '' ? path : `${path}?${query}`;
  const params = new URLSearchParams(query);
  params.delete('token');
  params.delete('tkn');
  return params.size === 0 ? path : `${path}?${params.toString()}`;
}

/** The headers of a request for the host, as names and values alternately. */
export function forwardedHeaders(
  request: IncomingMessage,
  { authority, prefix, view, cookie, token }: ForwardedTo,
): string[] {
  const dropped = new Set([...HOP_BY_HOP, ...REPLACED, ...namedBy(request)]);
  const kept: string[] = [];
  for (const [name, value] of pairsOf(request.rawHeaders)) {
    const key = name.toLowerCase();
    if (dropped.has(key) || (token !== undefined && key === 'authorization')) continue;
    const given = key === 'cookie' ? withoutCookie(value, token === undefined ? cookie : undefined) : value;
    if (given !== '') kept.push(name, given);
  }
  return [
    ...['Host', authority],
    ...kept,
    ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
    ...['X-Forwarded-For', view.address ?? ''],
    ...['X-Forwarded-Proto', view.isSecure ? 'https' : 'http'],
    ...['X-Forwarded-Prefix', prefix],
  ];
}

/** The headers of a host's answer for the client, as names and values alternately. */
export function answeredHeaders(answer: IncomingMessage): string[] {
  const dropped = new Set([...HOP_BY_HOP, ...namedBy(answer)]);
  return [...pairsOf(answer.rawHeaders)].flatMap(([name, value]) =>
    dropped.has(name.toLowerCase()) ? [] : [name, value],
  );
}

const namedBy = ({ headers }: IncomingMessage): string[] =>
  (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());

/** A `Cookie` header without the cookie of this name; without a name, empty. */
function withoutCookie(header: string, name: string | undefined): string {
  if (name === undefined) return '';
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.split('=', 1)[0]?.trim() !== name).join('; ');
}

function* pairsOf(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}
