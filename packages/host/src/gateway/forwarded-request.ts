import type { IncomingMessage } from 'node:http';
import { connectionHeaders, headerPairs } from '../lib/http-headers.ts';
import { PUBLIC_HOST, type RequestView } from '../wire/http/request-view.ts';

/**
 * Headers that the gateway sets itself. The gateway has checked the `Origin`, so hosts need no list of the public names of gateways.
 */
const REPLACED = [
  'host',
  'origin',
  'content-length',
  'expect',
  'forwarded',
  PUBLIC_HOST,
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-prefix',
  'x-forwarded-proto',
];

/** How a request is forwarded to a host. */
export interface ForwardedTo {
  /** `host:port` of the host. */
  readonly authority: string;
  /** Path of the cell at the gateway, without a slash at its end. */
  readonly prefix: string;
  readonly view: RequestView;
  /** Token that replaces all credentials of the request. Absent: the credentials are forwarded, and the host checks them. */
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
  { authority, prefix, view, token }: ForwardedTo,
): string[] {
  const dropped = new Set([...connectionHeaders(request.headers.connection), ...REPLACED]);
  const kept: string[] = [];
  for (const [name, value] of headerPairs(request.rawHeaders)) {
    const key = name.toLowerCase();
    if (dropped.has(key) || (token !== undefined && key === 'authorization')) continue;
    const given = key === 'cookie' ? (token === undefined ? withoutGatewayCookies(value) : '') : value;
    if (given !== '') kept.push(name, given);
  }
  return [
    ...['Host', authority],
    ...kept,
    ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
    ...['X-Forwarded-For', view.address ?? ''],
    ...['X-Forwarded-Proto', view.isSecure ? 'https' : 'http'],
    ...['X-Forwarded-Prefix', prefix],
    ...(view.publicHost === undefined ? [] : [PUBLIC_HOST, view.publicHost]),
  ];
}

/** The headers of a host's answer for the client, as names and values alternately. */
export function answeredHeaders(answer: IncomingMessage): string[] {
  const dropped = connectionHeaders(answer.headers.connection);
  return [...headerPairs(answer.rawHeaders)].flatMap(([name, value]) =>
    dropped.has(name.toLowerCase()) ? [] : [name, value],
  );
}

/** The cookies of all gateways: cookies do not depend on the port, so a browser sends also those of gateways beside this one. */
const GATEWAY_COOKIE = /^(__Host-)?agenthost_gateway(_\d+)?$/;

/** A `Cookie` header without the cookies of gateways: hosts do not get those. */
function withoutGatewayCookies(header: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => !GATEWAY_COOKIE.test(pair.split('=', 1)[0]?.trim() ?? '')).join('; ');
}
